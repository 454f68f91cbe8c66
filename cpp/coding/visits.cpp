// Compiles visits_body.hpp for the portable baseline and for AVX2, and chooses by the processor.
#include "coding/visits.hpp"

#include "door/processor.hpp"
namespace laconic::coding {

namespace {
namespace baseline {
#define LANE_BYTES 16
#include "coding/visits_body.hpp"
#undef LANE_BYTES
}  // namespace baseline

#ifdef LACONIC_AVX2
LACONIC_AVX2_BEGIN
namespace avx2 {
#define LANE_BYTES 32
#include "coding/visits_body.hpp"
#undef LANE_BYTES
}  // namespace avx2
LACONIC_AVX2_END
#endif

VisitSteps choose() { return LACONIC_CHOOSE(Visits::steps()); }
}  // namespace

const VisitSteps& visit_steps() {
    static const VisitSteps steps = choose();
    return steps;
}

}  // namespace laconic::coding
