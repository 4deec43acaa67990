import Concurrency
import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A volume of a ConfigMap or Secret, which is replaced as by the kubelet.
///
/// The link `..data` is replaced by a rename, and the directory to which it led is removed
/// afterward. The names of the files are links through it.
package final class MountedVolume: Sendable {
  package struct Failure: Error {
    let code: Int32
  }

  package let path: String
  private let version = Lock(0)

  /// Makes an empty directory for the volume; neither it nor the volume exist yet.
  package init(_ path: String) throws {
    self.path = path
    try FileSystem().makeDirectories(path)
  }

  /// Replaces the files by others, whose names may have a directory.
  package func replace(_ files: [String: String]) throws {
    let version = version.withLock { version in
      version += 1
      return version
    }
    let directory = "\(path)/..\(version)"
    for (name, text) in files {
      let file = "\(directory)/\(name)"
      try FileSystem().makeDirectories(file.parentDirectory)
      try Data(text.utf8).write(to: URL(filePath: file))
    }
    try FileSystem().makeDirectories(directory)
    try link("..\(version)", "..data_tmp")
    try FileSystem().rename("\(path)/..data_tmp", to: "\(path)/..data")
    let names = Set(files.keys.map { String($0.prefix { $0 != "/" }) })
    let old = Set(try FileSystem().entries(of: path).filter { !$0.hasPrefix("..") })
    for name in names.subtracting(old) { try link("..data/\(name)", name) }
    for name in old.subtracting(names) { try FileSystem().unlink("\(path)/\(name)") }
    if version > 1 { try FileManager.default.removeItem(atPath: "\(path)/..\(version - 1)") }
  }

  private func link(_ target: String, _ name: String) throws {
    if unsafe symlink(target, "\(path)/\(name)") == -1 { throw Failure(code: errno) }
  }
}
