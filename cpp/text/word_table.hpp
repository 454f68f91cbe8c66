// Words and their numbers: open addressing over spellings that lie one after the other.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace laconic::text {

class WordTable {
  public:
    static constexpr int32_t kNone = -1;

    int32_t size() const { return static_cast<int32_t>(ptr_.size()) - 1; }
    // The number of a word, kNone if it has none.
    int32_t find(std::string_view word) const { return slots_[place(word, hash(word))].number; }
    // The number of a word, the next one if it has none.
    int32_t number(std::string_view word) {
        if (3 * ptr_.size() > 2 * slots_.size()) grow();
        const uint32_t its_hash = hash(word);
        Slot& slot = slots_[place(word, its_hash)];
        if (slot.number != kNone) return slot.number;
        if (size() == INT32_MAX) throw std::invalid_argument("there are too many words");
        slot = {its_hash, size()};
        text_.append(word);
        ptr_.push_back(text_.size());
        return slot.number;
    }
    // Gives a word the next number; false if it has one.
    bool insert(std::string_view word) {
        const int32_t next = size();
        return number(word) == next;
    }
    std::string_view spelling(int32_t number) const {
        return std::string_view(text_).substr(ptr_[number], ptr_[number + 1] - ptr_[number]);
    }

  private:
    struct Slot {
        uint32_t hash = 0;
        int32_t number = kNone;
    };
    static uint32_t hash(std::string_view word) {
        uint64_t h = word.size();
        for (; word.size() >= 8; word.remove_prefix(8)) {
            uint64_t eight;
            word.copy(reinterpret_cast<char*>(&eight), 8);
            h = (h ^ eight) * 0x9e3779b97f4a7c15ULL;
            h ^= h >> 29;
        }
        uint64_t rest = 0;
        word.copy(reinterpret_cast<char*>(&rest), word.size());
        h = (h ^ rest) * 0xd6e8feb86659fd93ULL;
        return static_cast<uint32_t>(h >> 32);
    }
    // The slot of a word, or the one that it would get.
    size_t place(std::string_view word, uint32_t its_hash) const {
        for (size_t at = its_hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.number == kNone || (slot.hash == its_hash && spelling(slot.number) == word))
                return at;
        }
    }
    void grow() {
        std::vector<Slot> larger(2 * slots_.size());
        slots_.swap(larger);
        for (const Slot& slot : larger) {
            if (slot.number == kNone) continue;
            size_t at = slot.hash & (slots_.size() - 1);
            while (slots_[at].number != kNone) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::string text_;
    std::vector<size_t> ptr_ = {0};
    std::vector<Slot> slots_ = std::vector<Slot>(16);
};

}  // namespace laconic::text
