// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/event_file.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "platform/base/error.hpp"

using namespace parallax;
using data::EventLayout;

TEST_CASE("a layout names group and fields, by = or : ") {
  const auto layout = EventLayout::parse("group=muons,pt:Muon_pt,counts=nMuon");
  CHECK(layout.group == "muons");
  CHECK(layout.pt == "Muon_pt");
  CHECK(layout.counts == "nMuon");
  CHECK(layout.eta == "eta");
  CHECK(EventLayout::parse("").group == "events");
  for (const auto* wrong : {"goup=a", "pt", "pt=", "=x", ",pt=a"}) {
    INFO(wrong);
    CHECK_THROWS_AS(EventLayout::parse(wrong), UsageError);
  }
}

#ifndef PARALLAX_HAVE_HDF5

TEST_CASE("without HDF5 every file is refused") {
  CHECK_FALSE(data::have_hdf5());
  CHECK_THROWS_AS(data::EventFile("x.h5"), MachineError);
  CHECK_THROWS_AS(data::EventWriter("x.h5", {}), MachineError);
}

#else
#include "data/event_writer.hpp"
#include "hdf5_file.hpp"

namespace {

using test::Hdf5File;
using test::TemporaryFile;
using Integers = std::vector<std::int64_t>;

/// Four events: of 2, 0, 3 and 1 leptons.
template <class T>
void write_columns(Hdf5File& file, hsize_t chunk = 0) {
  file.add<T>("pt", {40, 50, 10, 20, 30, 60}, chunk);
  file.add<T>("eta", {0.5, -0.5, 1, 2, -2, 0}, chunk);
  file.add<T>("phi", {0, 3, -3, 1, 2, -1}, chunk);
  file.add<std::int8_t>("charge", {1, -1, -1, 1, 1, -1}, chunk);
}

template <class T>
void require_four_events(const std::string& path, const EventLayout& layout = {}) {
  data::EventFile file(path, layout);
  CHECK(file.extent().events == 4);
  CHECK(file.extent().leptons == 6);
  CHECK(file.extent().most_leptons == 3);
  CHECK(file.extent().slices == 1);
  data::EventSlice<T> slice;
  REQUIRE(file.next(slice));
  CHECK(slice.offsets == std::vector<std::int32_t>{0, 2, 2, 5, 6});
  CHECK(slice.pt == std::vector<T>{40, 50, 10, 20, 30, 60});
  CHECK(slice.eta == std::vector<T>{0.5, -0.5, 1, 2, -2, 0});
  CHECK(slice.phi == std::vector<T>{0, 3, -3, 1, 2, -1});
  CHECK(slice.charge == std::vector<std::int8_t>{1, -1, -1, 1, 1, -1});
  CHECK(file.unusable().total() == 0);
  CHECK_FALSE(file.next(slice));
}

}  // namespace

TEST_CASE("events are read by counts and by offsets, f32 and f64, whole, chunked and compressed") {
  for (const hsize_t chunk : {0, 1, 4, 100}) {
    INFO("chunks of " << chunk);
    const TemporaryFile counts, offsets;
    {
      Hdf5File file(counts.path());
      write_columns<float>(file, chunk);
      file.add<std::int32_t>("counts", {2, 0, 3, 1}, chunk);
    }
    {
      Hdf5File file(offsets.path());
      write_columns<double>(file, chunk);
      file.add<std::uint64_t>("offsets", {0, 2, 2, 5, 6}, chunk);
    }
    for (const auto& path : {counts.path(), offsets.path()}) {
      require_four_events<float>(path);
      require_four_events<double>(path);
    }
  }
}

TEST_CASE("group and fields may have other names; offsets win where both are there") {
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path(), "/");
    write_columns<float>(file);
    file.add<float>("Muon_pt", {40, 50, 10, 20, 30, 60});
    file.add<std::int32_t>("counts", {1, 1}).add<std::int32_t>("at", {0, 2, 2, 5, 6});
  }
  require_four_events<float>(temporary.path(), EventLayout::parse("group=/,pt=Muon_pt,offsets=at"));
}

TEST_CASE("slices of every size hold the same events") {
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path());
    write_columns<double>(file, 2);
    file.add<std::int32_t>("counts", {2, 0, 3, 1}, 3);
  }
  for (const std::int64_t events : {1, 2, 3, 4, 5})
    for (const std::int64_t leptons : {1, 2, 3, 5, 100}) {
      INFO(events << " events, " << leptons << " leptons");
      data::EventLimits limits;
      limits.slice_events = events;
      limits.slice_leptons = leptons;
      data::EventFile file(temporary.path(), {}, limits);
      for (int pass = 0; pass < 2; ++pass) {
        std::vector<double> pt;
        Integers lengths;
        data::EventSlice<double> slice;
        std::int64_t slices = 0, most = 0;
        while (file.next(slice)) {
          CHECK(slice.first == static_cast<std::int64_t>(lengths.size()));
          CHECK(slice.events() <= events);
          CHECK((slice.events() == 1 || slice.offsets.back() <= leptons));
          for (std::size_t i = 0; i + 1 < slice.offsets.size(); ++i)
            lengths.push_back(slice.offsets[i + 1] - slice.offsets[i]);
          pt.insert(pt.end(), slice.pt.begin(), slice.pt.end());
          most = std::max<std::int64_t>(most, slice.offsets.back());
          ++slices;
        }
        CHECK(lengths == Integers{2, 0, 3, 1});
        CHECK(pt == std::vector<double>{40, 50, 10, 20, 30, 60});
        CHECK(slices == file.extent().slices);
        CHECK(most == file.extent().most_slice_leptons);
        file.rewind();
      }
    }
}

TEST_CASE("a limit reads the first events; a file may have none") {
  const TemporaryFile temporary, empty;
  {
    Hdf5File file(temporary.path());
    write_columns<double>(file);
    file.add<std::int32_t>("counts", {2, 0, 3, 1});
    Hdf5File none(empty.path());
    none.add<float>("pt", {}).add<float>("eta", {}).add<float>("phi", {});
    none.add<std::int8_t>("charge", {}).add<std::int32_t>("counts", {});
  }
  data::EventLimits limits;
  limits.events = 3;
  data::EventFile file(temporary.path(), {}, limits);
  CHECK(file.extent().events == 3);
  CHECK(file.extent().leptons == 5);
  CHECK(file.extent().events_in_file == 4);
  data::EventSlice<float> slice;
  REQUIRE(file.next(slice));
  CHECK(slice.offsets == std::vector<std::int32_t>{0, 2, 2, 5});
  data::EventFile none(empty.path());
  CHECK(none.extent().events == 0);
  CHECK_FALSE(none.next(slice));
}

TEST_CASE("leptons that cannot be used are counted and set to 0") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path());
    file.add<double>("pt", {40, nan, -1, 20, 20, 20, 1e300, 20, 20, 0, 1e-12, 20, 20})
        .add<double>("eta", {1, 1, 1, infinity, 1, 1, 1, 25, 1, 1, 1, -999, 1})
        .add<double>("phi", {1, 1, 1, 1, 1, 1, 1, 1, 8, 1, 1, 1, 6.28})
        .add<std::int32_t>("charge", {1, 1, 1, 1, 0, -999, 1, 1, 1, -1, 1, 1, -1})
        .add<std::int32_t>("counts", {13});
  }
  data::EventFile file(temporary.path());
  data::EventSlice<double> wide;
  REQUIRE(file.next(wide));
  CHECK(file.unusable().not_finite == 2);
  CHECK(file.unusable().negative_pt == 1);
  CHECK(file.unusable().charge == 2);
  CHECK(file.unusable().out_of_range == 5);
  CHECK(file.unusable().total() == 10);
  for (std::size_t k = 0; k < 13; ++k) {
    INFO(k);
    const bool usable = k == 0 || k == 9 || k == 12;
    CHECK((wide.charge[k] != 0) == usable);
    if (!usable) CHECK((wide.pt[k] == 0 && wide.eta[k] == 0 && wide.phi[k] == 0));
  }
  // In single precision 1e300 is no longer finite.
  file.rewind();
  data::EventSlice<float> narrow;
  REQUIRE(file.next(narrow));
  CHECK(file.unusable().not_finite == 3);
  CHECK(file.unusable().out_of_range == 4);
  CHECK(narrow.charge == wide.charge);
}
#endif
