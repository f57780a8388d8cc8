// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/png.hpp"

#include <png.h>

#include "platform/base/error.hpp"
#include "platform/base/files.hpp"

namespace parallax::data {

void write_png(const std::string& path, const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.columns);
  header.height = static_cast<png_uint_32>(image.rows);
  header.format = PNG_FORMAT_RGB;
  const auto encode = [&](void* to, png_alloc_size_t& size) {
    if (png_image_write_to_memory(&header, to, &size, 0, image.rgb.data(), 0, nullptr) == 0)
      throw MachineError("cannot write the picture '" + path + "': " + header.message);
  };
  png_alloc_size_t size = 0;
  encode(nullptr, size);
  std::string content(size, '\0');
  encode(content.data(), size);
  write_file(path, content);
}

}  // namespace parallax::data
