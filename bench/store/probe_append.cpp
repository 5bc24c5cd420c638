// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "commit_times.hpp"
#include "contender.hpp"
#include "store/record_codec.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>

namespace bench {

namespace {

using namespace foliot::store;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class growing_file {
public:
    explicit growing_file(const std::filesystem::path& path)
        : descriptor_(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) fail("cannot make the probe's file");
    }
    ~growing_file() { close(descriptor_); }
    growing_file(const growing_file&) = delete;
    growing_file& operator=(const growing_file&) = delete;

    void append(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
            if (written < 0) fail("cannot write the probe's file");
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        if (fdatasync(descriptor_) != 0) fail("cannot sync the probe's file");
    }

private:
    int descriptor_;
};

/// The limit of the disk: the encoded rows of each commit, appended to a file that grows, and
/// fdatasync. No keys, no order, nothing that could be read back; a cancel is the eight bytes of a
/// sequence.
class probe_append final : public contender {
public:
    [[nodiscard]] std::string_view name() const override { return "probe_append"; }
    outcome run(const plan& p, const std::filesystem::path& directory) override {
        outcome result;
        {
            growing_file file(directory / "probe");
            batches all(p, epoch{1});
            commit_times times;
            std::string bytes;
            for (std::size_t i = 0; i < p.commits; ++i) {
                encode(all.next(), bytes);
                times.take([&] { file.append(bytes); });
            }
            times.tell(p, directory, result);
        }
        result.checksum = p.checksum();  // it does not know what it holds
        return result;
    }

private:
    static void encode(const batch& b, std::string& out) {
        out.clear();
        for (const operation& op : b.operations) {
            if (const auto* near = std::get_if<put_near>(&op)) encode_record(near->row, out);
            if (const auto* far = std::get_if<put_far>(&op)) encode_record(far->row, out);
            if (std::holds_alternative<remove_near>(op)) out.append(8, '\0');
        }
    }
};

}  // namespace

std::unique_ptr<contender> make_probe_append() { return std::make_unique<probe_append>(); }

}  // namespace bench
