// SPDX-License-Identifier: Apache-2.0
// Builds the DALI pipeline and runs batches through it.
#include "suites/imaging/loader/dali_pipeline.hpp"

#include <exception>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/imaging/loader/dali_library.hpp"

namespace scalemark::imaging {
namespace {

constexpr const char* kInput = "input";
constexpr int kLinear = 1;  ///< value of DALIInterpType; the C API has no header for it

daliPipelineParams_t parameters(const DaliOptions& options) {
  daliPipelineParams_t params{};
  params.max_batch_size_present = params.num_threads_present = 1;
  params.exec_type_present = params.prefetch_queue_depths_present = 1;
  params.max_batch_size = static_cast<int>(options.batch);
  params.num_threads = options.threads;
  params.exec_type = DALI_EXEC_DYNAMIC;  // outputs may be kept after the next run
  params.prefetch_queue_depths = {options.prefetch, options.prefetch};
  params.device_id_present = options.gpu ? 1 : 0;
  params.device_id = options.gpu.value_or(0);
  return params;
}

// Arguments of operators. Enumerations of DALI's Python API are integers here.
daliArgDesc_t integer(const char* name, int value, daliDataType_t type = DALI_INT32) {
  daliArgDesc_t made{};
  made.name = name;
  made.dtype = type;
  made.ivalue = value;
  return made;
}

daliArgDesc_t number(const char* name, std::int64_t value) {
  daliArgDesc_t made{};
  made.name = name;
  made.dtype = DALI_FLOAT;
  made.fvalue = static_cast<float>(value);
  return made;
}

daliArgDesc_t list_of_one(const char* name, const float& value) {
  daliArgDesc_t made{};
  made.name = name;
  made.dtype = DALI_FLOAT_VEC;
  made.size = 1;
  made.arr = &value;
  return made;
}

daliArgDesc_t text(const char* name, const char* value) {
  daliArgDesc_t made{};
  made.name = name;
  made.dtype = DALI_STRING;
  made.str = value;
  return made;
}

}  // namespace

std::string why_no_dali(std::optional<int> gpu, bool files) {
  const DaliLibrary dali;
  if (!dali.problem.empty()) return dali.problem;
  if (files) {
    if (const std::string reason = why_no_dali_decoder(); !reason.empty()) return reason;
  }
  daliPipeline_h pipeline = nullptr;
  const daliPipelineParams_t params = parameters({.gpu = gpu});
  if (dali.create(&pipeline, &params) < 0) return "DALI: " + dali.message();
  dali.destroy(pipeline);
  return "";
}

struct DaliPipeline::State {
  explicit State(const DaliOptions& wanted) : options(wanted) {
    if (!dali->problem.empty()) throw Unavailable(dali->problem);
    if (options.files) {
      if (const std::string reason = why_no_dali_decoder(); !reason.empty())
        throw Unavailable(reason);
    }
    for (std::int64_t i = 0; i < options.batch; ++i)
      shapes.insert(shapes.end(), {options.channels, options.rows, options.columns});
    const daliPipelineParams_t params = parameters(options);
    dali->check(dali->create(&pipeline, &params));
  }
  ~State() {
    if (pipeline) dali->destroy(pipeline);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  daliStorageDevice_t place() const { return options.gpu ? DALI_STORAGE_GPU : DALI_STORAGE_CPU; }
  daliDataType_t pixel() const { return options.bytes ? DALI_UINT8 : DALI_FLOAT; }

  /// Appends an operator where the pipeline computes; its `count` inputs are all the output of the
  /// previous operator.
  void add(const char* schema, int count, const std::vector<daliArgDesc_t>& arguments) {
    add({schema, options.gpu ? DALI_BACKEND_GPU : DALI_BACKEND_CPU}, {last, place()}, place(),
        count, arguments);
  }

  struct Operator {
    const char* schema;
    daliBackend_t backend;
  };
  void add(Operator what, daliIODesc_t input, daliStorageDevice_t output_place, int count,
           const std::vector<daliArgDesc_t>& arguments) {
    const char* schema = what.schema;
    const std::vector<daliIODesc_t> inputs(static_cast<std::size_t>(count), input);
    const daliIODesc_t output{schema, output_place};
    daliOperatorDesc_t made{};
    made.schema_name = schema;
    made.backend = what.backend;
    made.num_inputs = count;
    made.inputs = inputs.data();
    made.num_outputs = 1;
    made.outputs = &output;
    made.num_args = static_cast<int>(arguments.size());
    made.args = arguments.data();
    dali->check(dali->add_operator(pipeline, &made));
    last = schema;
  }

  /// Files are read on the host. On a GPU the decoder's result is there, wherever it decodes: PNG
  /// on the host.
  void read_files() {
    add({"io__file__Read", DALI_BACKEND_CPU}, {last, DALI_STORAGE_CPU}, DALI_STORAGE_CPU, 1, {});
    add({"decoders__Image", options.gpu ? DALI_BACKEND_MIXED : DALI_BACKEND_CPU},
        {last, DALI_STORAGE_CPU}, place(), 1, {});
  }

  void resize() {
    if (options.rows == options.image && options.columns == options.image) return;
    add("Resize", 1,
        {number("resize_x", options.image), number("resize_y", options.image),
         integer("interp_type", kLinear), integer("antialias", 0, DALI_BOOL),
         integer("dtype", DALI_FLOAT)});
  }

  void normalise() {
    const float mean = options.bytes ? static_cast<float>(options.mean * 255) : 0;
    const float std = options.bytes ? static_cast<float>(options.std * 255) : 1;
    add("CropMirrorNormalize", 1,
        {list_of_one("mean", mean), list_of_one("std", std), integer("dtype", DALI_FLOAT),
         text("output_layout", options.channels_last ? "HWC" : "CHW")});
  }

  void three_channels() {
    if (options.channels == 1) add("Cat", 3, {integer("axis", 0)});
  }

  /// Pixels or paths are in host memory; DALI copies pixels to the GPU for its first operator.
  void build() {
    daliPipelineIODesc_t input{};
    input.name = kInput;
    input.device = DALI_STORAGE_CPU;
    input.dtype_present = input.ndim_present = 1;
    input.dtype = options.files ? DALI_UINT8 : pixel();
    input.ndim = options.files ? 1 : 3;
    input.layout = options.files ? nullptr : "CHW";
    dali->check(dali->add_input(pipeline, &input));
    if (options.files) read_files();
    resize();
    // Concatenates channels as late as possible, but while each plane is still contiguous.
    if (options.channels_last) three_channels();
    normalise();
    if (!options.channels_last) three_channels();
    daliPipelineIODesc_t output{};
    output.name = last;
    output.device = place();
    dali->check(dali->set_outputs(pipeline, 1, &output));
    dali->check(dali->build(pipeline));
  }

  void feed(const void* pixels) {
    feed({shapes.data(), 3, pixel(), "CHW", pixels}, DALI_FEED_INPUT_NO_COPY);
  }

  /// A path is a tensor of its characters.
  void feed_files(const std::vector<std::string>& files) {
    if (std::ssize(files) != options.batch)
      throw Error("DALI: a batch has another number of files");
    std::string characters;
    std::vector<std::int64_t> lengths;
    for (const std::string& file : files) {
      characters += file;
      lengths.push_back(std::ssize(file));
    }
    feed({lengths.data(), 1, DALI_UINT8, nullptr, characters.data()}, DALI_FEED_INPUT_FORCE_COPY);
  }

  struct Input {
    const std::int64_t* shapes;
    int dimensions;
    daliDataType_t type;
    const char* layout;
    const void* data;
  };
  void feed(const Input& input, daliFeedInputFlags_t copy) {
    daliTensorList_h made = nullptr;
    const bool pinned = options.pinned && !options.files;
    dali->check(dali->create_list(&made, {DALI_STORAGE_CPU, options.gpu.value_or(0), pinned}));
    const auto release = [this](daliTensorList_h list) { dali->release_list(list, nullptr); };
    const std::unique_ptr<_DALITensorList, decltype(release)> list(made, release);
    // DALI only reads it; the C API has no const pointer.
    dali->check(dali->attach(made, static_cast<int>(options.batch), input.dimensions, input.shapes,
                             input.type, input.layout, const_cast<void*>(input.data), nullptr, {}));
    dali->check(dali->feed(pipeline, kInput, made, nullptr, copy, nullptr));
    dali->check(dali->run(pipeline));
  }

  std::shared_ptr<float> take(void* stream) {
    daliPipelineOutputs_h popped = nullptr;
    dali->check(options.gpu ? dali->pop_async(pipeline, &popped, static_cast<cudaStream_t>(stream))
                            : dali->pop(pipeline, &popped));
    const std::unique_ptr<_DALIPipelineOutputs, decltype(dali->destroy_outputs)> outputs(
        popped, dali->destroy_outputs);
    daliTensorList_h got = nullptr;
    dali->check(dali->output(popped, &got, 0));
    const auto release = [this](daliTensorList_h list) { dali->release_list(list, nullptr); };
    const std::unique_ptr<_DALITensorList, decltype(release)> list(got, release);
    daliTensor_h view = nullptr;
    dali->check(dali->as_tensor(got, &view));
    const std::shared_ptr<_DALITensor> tensor(
        view, [dali = dali](daliTensor_h one) { dali->release_tensor(one, nullptr); });
    return {tensor, checked(view)};
  }

  /// Checks type and number of values of an output; returns its data pointer.
  float* checked(daliTensor_h tensor) const {
    daliTensorDesc_t is{};
    dali->check(dali->describe(tensor, &is));
    std::int64_t values = 1;
    for (int i = 0; i < is.ndim; ++i) values *= is.shape[i];
    if (is.dtype != DALI_FLOAT || values != options.batch * 3 * options.image * options.image)
      throw Error(
          fmt::format("DALI gave {} values of type {}", values, static_cast<int>(is.dtype)));
    return static_cast<float*>(is.data);
  }

  std::shared_ptr<const DaliLibrary> dali = std::make_shared<DaliLibrary>();
  DaliOptions options;
  daliPipeline_h pipeline = nullptr;
  const char* last = kInput;         ///< output name of the operator added last
  std::vector<std::int64_t> shapes;  ///< of the samples in a batch
  std::exception_ptr failure;

  /// Runs `work`. Throws the first failure of the pipeline again if there was one.
  template <class Work>
  auto attempt(Work work) {
    if (failure) std::rethrow_exception(failure);
    try {
      return work();
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
  }
};

DaliPipeline::DaliPipeline(const DaliOptions& options) : state_(std::make_unique<State>(options)) {
  state_->build();
}

DaliPipeline::~DaliPipeline() = default;

void DaliPipeline::feed_files(const std::vector<std::string>& files) {
  state_->attempt([&] { state_->feed_files(files); });
}

void DaliPipeline::feed(const void* pixels) {
  state_->attempt([&] { state_->feed(pixels); });
}

std::shared_ptr<float> DaliPipeline::take(void* stream) {
  return state_->attempt([&] { return state_->take(stream); });
}

}  // namespace scalemark::imaging
