// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: sequence
// says: Some elements have their 1, others do not.
// expect: two runs differ
// cause: Two instances do not wait for each other: without a fence the kernel runs during the copy.
// only: gpu
const auto instances = Kokkos::Experimental::partition_space(space, 1, 1);
copy(instances[0], device, in);
Kokkos::parallel_for("parallax::transfer::compute",
                     Range<Space>(instances[1], 0, static_cast<std::int64_t>(device.extent(0))),
                     PlusOne<Device>{device});
copy(instances[0], out, device);
