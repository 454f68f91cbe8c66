// What trees a parser makes.
#pragma once

namespace laconic::tree {

// Which parts of trees have scores, see projective.hpp.
enum class TreeModel { arcs = 0, siblings = 1, carreras = 2, grand_siblings = 3, tri_siblings = 4 };

struct TreeShape {
    TreeModel model = TreeModel::arcs;
    bool crossing = false, single_root = false;
};

}  // namespace laconic::tree
