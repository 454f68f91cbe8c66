// Steps of stochastic coding and of weighted components over padded rows of floats, compiled for
// several instruction sets and chosen once by what the processor has. Rows have `stride` entries, a
// multiple of 8.
#pragma once

namespace laconic::coding {

struct VisitSums {
    float product, code, context;  // <a, d>, |a|^2, |d|^2
};

struct VisitSteps {
    VisitSums (*sums)(const float* code, const float* context, int stride);
    // code += on_code * context and context = keep * context + on_context * code, both from the
    // values before
    void (*move)(float* code, float* context, int stride, float on_code, float keep,
                 float on_context);
    // out += by <row, along> row
    void (*add_along)(float* out, const float* row, const float* along, int stride, float by);
    // out = keep * out + by * row
    void (*add)(float* out, const float* row, int stride, float keep, float by);
};

const VisitSteps& visit_steps();

}  // namespace laconic::coding
