// SPDX-License-Identifier: Apache-2.0
// A folder like /sys, made by a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.hpp"

namespace scalemark::test {

class PlantedSys {
 public:
  const std::filesystem::path& path() const { return root_.path(); }

  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// `at` leads to the folder `to`, which is made.
  void link(const std::string& at, const std::string& to) const {
    std::filesystem::create_directories(root_ / to);
    std::filesystem::create_directories((root_ / at).parent_path());
    if (!std::filesystem::exists(root_ / at))
      std::filesystem::create_directory_symlink(root_ / to, root_ / at);
  }

  /// An interface, of the adapter at `device`; empty: of none.
  void interface(const std::string& name, const std::string& device, const std::string& speed,
                 const std::string& state = "up") const {
    const std::string parent = device.empty() ? "virtual" : "pci0000:00/" + device;
    const std::string folder = "sys/devices/" + parent + "/net/" + name;
    link("sys/class/net/" + name, folder);
    if (!device.empty()) link(folder + "/device", "sys/devices/" + parent);
    file(folder + "/speed", speed + "\n");
    file(folder + "/operstate", state + "\n");
    file(folder + "/type", "1\n");
  }
  void infiniband(const std::string& name, const std::string& rate, const std::string& layer,
                  const std::string& state = "4: ACTIVE", const std::string& port = "1",
                  const std::string& parent = "pci0000:00/0000:00:07.0") const {
    const std::string folder = "sys/devices/" + parent + "/infiniband/" + name;
    link("sys/class/infiniband/" + name, folder);
    link(folder + "/device", "sys/devices/" + parent);
    const std::string place = folder + "/ports/" + port;
    file(place + "/rate", rate + "\n");
    file(place + "/state", state + "\n");
    file(place + "/link_layer", layer + "\n");
  }

  /// A GPU at 0000:0a:00.0 below a port.
  void gpu(const std::string& speed, const std::string& width, const std::string& port_speed,
           const std::string& port_width, const std::string& speed_now = "2.5 GT/s PCIe",
           const std::string& width_now = "16") const {
    const std::string port = "sys/devices/pci0000:00/0000:00:01.0", device = port + "/0000:0a:00.0";
    link("sys/bus/pci/devices/0000:0a:00.0", device);
    file(device + "/max_link_speed", speed + "\n");
    file(device + "/max_link_width", width + "\n");
    file(device + "/current_link_speed", speed_now + "\n");
    file(device + "/current_link_width", width_now + "\n");
    if (port_speed.empty()) return;
    file(port + "/max_link_speed", port_speed + "\n");
    file(port + "/max_link_width", port_width + "\n");
  }

 private:
  TempDir root_;
};

}  // namespace scalemark::test
