// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/synthetic_file.hpp"

#include <catch2/catch_test_macros.hpp>

#include "platform/base/error.hpp"

using namespace parallax;

TEST_CASE("a file that cannot be written is refused") {
  CHECK_THROWS_AS(data::EventWriter("/nonexistent/x.h5", {}), MachineError);
}

#ifdef PARALLAX_HAVE_HDF5
#include <ctime>
#include <map>

#include "hdf5_file.hpp"
#include "support/made_events.hpp"

namespace {

template <class T>
void require_same(const std::string& path, const data::EventLayout& layout,
                  const data::SyntheticEvents& s) {
  const auto e = test::made_events<T>(s);
  data::EventFile file(path, layout);
  data::EventSlice<T> slice;
  REQUIRE(file.next(slice));
  CHECK(file.unusable().total() == 0);
  CHECK((slice.offsets == e.offsets && slice.pt == e.pt && slice.eta == e.eta &&
         slice.phi == e.phi && slice.charge == e.charge));
}

/// The objects of a file by name, each with the times that it notes: 0 where it notes none.
std::map<std::string, time_t> noted_times(const std::string& path) {
  std::map<std::string, time_t> times;
#if H5_VERSION_GE(1, 12, 0)
  const auto visit = [](hid_t, const char* name, const H5O_info2_t* info, void* to) -> herr_t {
#else
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* to) -> herr_t {
#endif
    (*static_cast<std::map<std::string, time_t>*>(to))[name] =
        info->atime | info->mtime | info->ctime | info->btime;
    return 0;
  };
  const data::hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
#if H5_VERSION_GE(1, 12, 0)
  REQUIRE(H5Ovisit3(file.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &times, H5O_INFO_TIME) >= 0);
#else
  REQUIRE(H5Ovisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &times) >= 0);
#endif
  return times;
}

}  // namespace

TEST_CASE("a generated file notes no times, so that the same events give the same bytes") {
  for (const std::string layout : {"group=a/b", "group=/"}) {
    const test::TemporaryFile temporary;
    data::EventFormat format;
    format.layout = data::EventLayout::parse(layout);
    data::write_synthetic(temporary.path(), format, {7, 100, 1.5, 0}, [](std::int64_t) {});
    const auto times = noted_times(temporary.path());
    CHECK(times.size() == (layout == "group=/" ? 6 : 8));  // the root, a, a/b and five columns
    for (const auto& [name, time] : times) {
      INFO(name);
      CHECK(time == 0);
    }
  }
}

TEST_CASE("what is generated is what the synthetic run makes, in every format") {
  // Means that make one slice and several.
  for (const auto& events :
       {data::SyntheticEvents{7, 10'007, 1.5, 0}, data::SyntheticEvents{7, 101, 2, 5000},
        data::SyntheticEvents{8, 9'001, 900, 0}}) {
    const bool small = events.mean < 100;
    for (const bool offsets : {false, true})
      for (const bool f64 : {false, true}) {
        if (!small && (offsets || f64)) continue;
        INFO(events.events << " events, offsets " << offsets << ", f64 " << f64);
        const test::TemporaryFile temporary;
        data::EventFormat format;
        format.with_offsets = offsets;
        format.f64 = f64;
        format.compression = small ? 4 : 0;
        format.layout = data::EventLayout::parse(offsets ? "group=a/b,pt=x" : "group=/");
        std::int64_t done = -1;
        const auto leptons = data::write_synthetic(temporary.path(), format, events,
                                                   [&](std::int64_t so_far) { done = so_far; });
        CHECK(done == events.events);
        CHECK(leptons == data::EventFile(temporary.path(), format.layout).extent().leptons);
        require_same<float>(temporary.path(), format.layout, events);
        if (small) require_same<double>(temporary.path(), format.layout, events);
      }
  }
}
#endif
