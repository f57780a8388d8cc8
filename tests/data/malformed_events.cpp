// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Files that cannot be used: each is refused in one line that names what was wrong.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "data/event_file.hpp"
#include "platform/base/error.hpp"

#ifndef PARALLAX_HAVE_HDF5

TEST_CASE("without HDF5 there are no files to read") {
  CHECK_THROWS_AS(parallax::data::EventFile("x.h5"), parallax::MachineError);
}

#else
#include "hdf5_file.hpp"

namespace {

using namespace parallax;
using test::Hdf5File;
using test::TemporaryFile;
using Integers = std::vector<std::int64_t>;

/// Reads all; the error's words must hold these, and be one line.
template <class Error>
void require_refused(const std::string& path, const std::vector<std::string>& words,
                     const data::EventLayout& layout = {}) {
  std::string said;
  try {
    data::EventFile file(path, layout);
    data::EventSlice<float> slice;
    while (file.next(slice)) {
    }
  } catch (const Error& error) {
    said = error.what();
  }
  INFO("said: " << said);
  CHECK(said.find('\n') == std::string::npos);
  CHECK(said.find(path) != std::string::npos);
  for (const auto& word : words) {
    INFO("expected: " << word);
    CHECK(said.find(word) != std::string::npos);
  }
}

/// Two events of 2 and 1 leptons, but for one dataset that the test writes itself.
void write_all_but(Hdf5File& file, const std::string& name) {
  if (name != "counts") file.add<std::int32_t>("counts", {2, 1});
  for (const auto* column : {"pt", "eta", "phi"})
    if (name != column) file.add<float>(column, {1, 2, 3});
  if (name != "charge") file.add<std::int8_t>("charge", {1, -1, 1});
}

template <class T>
void refuse_with(const std::string& name, const std::vector<T>& values,
                 const std::vector<std::string>& words, hsize_t columns = 0) {
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path());
    write_all_but(file, name == "offsets" ? "counts" : name);
    file.add<T>(name, values, 0, columns);
  }
  auto expected = words;
  expected.push_back("'events/" + name + "'");
  require_refused<UsageError>(temporary.path(), expected);
}

}  // namespace

TEST_CASE("files that are not there, not HDF5, truncated or damaged") {
  require_refused<MachineError>("/nonexistent/events.h5", {"cannot read", "No such file"});
  require_refused<MachineError>(std::filesystem::temp_directory_path().string(), {"directory"});
  const TemporaryFile text, nothing;
  std::ofstream(text.path()) << "pt,eta,phi\n1,2,3\n";
  std::ofstream(nothing.path()) << "";
  require_refused<UsageError>(text.path(), {"is not an HDF5 file"});
  require_refused<UsageError>(nothing.path(), {"is not an HDF5 file"});

  const TemporaryFile sound;
  {
    Hdf5File file(sound.path());
    const std::vector<float> many(100'000, 1);
    file.add("pt", many, 1000).add("eta", many, 1000).add("phi", many, 1000);
    file.add("charge", std::vector<std::int8_t>(100'000, 1), 1000);
    file.add("counts", std::vector<std::int32_t>(50'000, 2), 1000);
  }
  data::EventFile whole(sound.path());
  CHECK(whole.extent().events == 50'000);
  {
    const int writer = open(sound.path().c_str(), O_RDWR);  // as h5py's File(name, "a") does
    REQUIRE(flock(writer, LOCK_EX) == 0);
    require_refused<MachineError>(sound.path(),
                                  {"cannot read", "another process has it open to write"});
    close(writer);
  }
  const auto bytes = std::filesystem::file_size(sound.path());
  for (const auto part : {bytes - 1, bytes / 2, std::uintmax_t{600}, std::uintmax_t{20}}) {
    INFO("the first " << part << " of " << bytes << " bytes");
    const TemporaryFile cut;
    std::filesystem::copy_file(sound.path(), cut.path());
    std::filesystem::resize_file(cut.path(), part);
    require_refused<MachineError>(cut.path(), {"cannot read", "truncated or damaged"});
  }
}

TEST_CASE("a damaged chunk is refused when it is read") {
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path());
    std::vector<float> pt(50'000);
    for (std::size_t k = 0; k < pt.size(); ++k) pt[k] = static_cast<float>(k % 977) + 1;
    file.add("eta", pt).add("phi", pt);
    file.add("charge", std::vector<std::int8_t>(pt.size(), 1));
    file.add("counts", std::vector<std::int32_t>(pt.size(), 1));
    file.add("pt", pt, 10'000);
  }
  // The compressed chunks are the last of the file, but for some bookkeeping: overwrite the middle
  // of one.
  const auto bytes = std::filesystem::file_size(temporary.path());
  {
    std::fstream file(temporary.path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(bytes - 3000));
    file << std::string(400, '\x55');
  }
  require_refused<MachineError>(temporary.path(), {"'events/pt'", "damaged"});
}

TEST_CASE("groups and fields that are missing, with the near match") {
  const TemporaryFile temporary;
  {
    Hdf5File file(temporary.path(), "muons");
    write_all_but(file, "eta");
    file.add<float>("etta", {1, 2, 3});
  }
  const auto& path = temporary.path();
  using data::EventLayout;
  require_refused<UsageError>(path, {"no group 'events'", "muons"});
  require_refused<UsageError>(path, {"no group 'muon'", "'muons'"},
                              EventLayout::parse("group=muon"));
  require_refused<UsageError>(path, {"no dataset 'eta'", "'etta'"},
                              EventLayout::parse("group=muons"));
  require_refused<UsageError>(path, {"neither 'n' nor 'offsets'", "counts"},
                              EventLayout::parse("group=muons,counts=n"));
  require_refused<UsageError>(path, {"'muons' is not a dataset"},
                              EventLayout::parse("group=/,counts=muons"));
}

TEST_CASE("datasets of the wrong kind or length") {
  refuse_with<std::int32_t>("pt", {1, 2, 3}, {"whole numbers", "floating-point"});
  refuse_with<float>("charge", {1, -1, 1}, {"floating-point", "whole numbers"});
  refuse_with<double>("counts", {2, 1}, {"floating-point", "whole numbers"});
  refuse_with<float>("phi", {1, 2, 3, 4}, {"2 dimensions"}, 2);
  refuse_with<float>("phi", {1, 2}, {"has 2 values", "'events/pt' has 3"});
  refuse_with<std::int8_t>("charge", {1, 2, 3, 4}, {"has 4 values", "has 3"});
}

TEST_CASE("values are read from the file itself, not from others that it names") {
  using data::hdf5::Handle;
  const TemporaryFile other;
  {
    Hdf5File file(other.path());
    write_all_but(file, "");
  }
  const hsize_t three = 3;
  const Handle space(H5Screate_simple(1, &three, nullptr), H5Sclose);
  const std::string file_name = other.path();
  // What the file of the test has for pt, and what is said of it.
  const auto refuse = [&](const std::vector<std::string>& words, const data::EventLayout& layout,
                          const auto& add) {
    const TemporaryFile temporary;
    {
      Hdf5File file(temporary.path());
      write_all_but(file, "pt");
      const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      add(file.group(), creation.id());
      if (H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0) {
        const Handle dataset(H5Dcreate2(file.group(), "pt", H5T_NATIVE_FLOAT, space.id(),
                                        H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                             H5Dclose);
        REQUIRE(dataset.valid());
      }
    }
    require_refused<MachineError>(temporary.path(), words, layout);
  };
  const auto external = [&](hid_t group, const char* object, const char* name) {
    REQUIRE(H5Lcreate_external(file_name.c_str(), object, group, name, H5P_DEFAULT, H5P_DEFAULT) >=
            0);
  };
  for (const auto& source : {std::string("."), file_name})
    refuse({"'events/pt'", "virtual"}, {}, [&](hid_t, hid_t creation) {
      REQUIRE(H5Pset_virtual(creation, space.id(), source.c_str(), "events/pt", space.id()) >= 0);
    });
  refuse({"'events/pt'", "external storage"}, {}, [&](hid_t, hid_t creation) {
    REQUIRE(H5Pset_external(creation, file_name.c_str(), 0, 3 * sizeof(float)) >= 0);
  });
  refuse({"dataset 'events/pt'", "another file", file_name}, {},
         [&](hid_t group, hid_t) { external(group, "events/pt", "pt"); });
  refuse({"dataset 'events/pt'", "another file", file_name}, {}, [&](hid_t group, hid_t) {
    external(group, "events", "away");
    REQUIRE(H5Lcreate_soft("away/pt", group, "pt", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  });
  refuse({"'away/pt'", "another file", file_name}, data::EventLayout::parse("pt=away/pt"),
         [&](hid_t group, hid_t) { external(group, "events", "away"); });
  refuse({"group 'events/away'", "another file", file_name},
         data::EventLayout::parse("group=events/away"),
         [&](hid_t group, hid_t) { external(group, "events", "away"); });

  // A link within the file is followed.
  const TemporaryFile sound;
  {
    Hdf5File file(sound.path());
    write_all_but(file, "pt");
    REQUIRE(H5Lcreate_soft("eta", file.group(), "pt", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  CHECK(data::EventFile(sound.path()).extent().leptons == 3);
}

TEST_CASE("counts and offsets that cannot be") {
  refuse_with<std::int64_t>("counts", {4, -1}, {"event 0", "3 left"});
  refuse_with<std::int64_t>("counts", {-1, 4}, {"event 0", "-1", "fewer than none"});
  refuse_with<std::int64_t>("counts", {2, 0}, {"2 leptons", "the columns have 3"});
  refuse_with<std::int64_t>("counts", {2, 2}, {"event 1", "1 left"});
  refuse_with<std::uint64_t>("counts", {2, ~std::uint64_t{0}}, {"event 1", "1 left"});
  refuse_with<std::int64_t>("offsets", {1, 2, 3}, {"starts with 1, not with 0"});
  refuse_with<std::int64_t>("offsets", {0, 2, 1, 3}, {"decreases", "from 2 to 1", "index 2"});
  refuse_with<std::int64_t>("offsets", {0, 2, 4}, {"event 1", "1 left"});
  refuse_with<std::int64_t>("offsets", {0, 2}, {"2 leptons", "the columns have 3"});
  refuse_with<std::int64_t>("offsets", {}, {"is empty"});
  refuse_with<std::int64_t>("offsets", {3}, {"starts with 3"});
}
#endif
