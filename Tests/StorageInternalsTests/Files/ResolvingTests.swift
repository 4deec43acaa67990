import CLibrary
import StorageInternals
import TestSupport
import Testing

final class ResolvingTests: ChangedDirectory {
  private func resolve(_ name: String) throws -> String {
    try FileSystem().resolve(directory(name))
  }

  /// The watched names in the test's directory, as "directory: name", with "-" for no name.
  private func steps(_ name: String) -> [String] {
    FileSystem().steps(of: directory(name)).compactMap { step in
      guard step.directory.hasPrefix(directory.path) else { return nil }
      return "\(step.directory.dropFirst(directory.path.count + 1)): \(step.name ?? "-")"
    }
  }

  @Test func pathWithoutLinksResolvesToItself() throws {
    try make("a/b")
    for name in ["a/b/file", "a", "a/b", "file"] { #expect(try resolve(name) == directory(name)) }
    #expect(try resolve("a//b/./file") == directory("a/b/file"))
    #expect(try resolve("a/b/../file") == directory("a/file"))
    #expect(try resolve("a/b/../../a/file") == directory("a/file"))
    #expect(steps("a/b/file") == [": -", "a: -", "a: b", "a/b: file"])
    try write("", to: "a/b/file")
    #expect(steps("a/b/file") == [": -", "a: -", "a/b: file"])
  }

  @Test func linksInAnyComponentAreFollowed() throws {
    try make("real/inner")
    try write("", to: "real/inner/file")
    try link("relative", to: "real/inner")
    try link("absolute", to: directory("relative"))
    try link("real/inner/link", to: "../inner/./file")
    for name in ["relative/file", "absolute/file", "absolute/link", "real/inner/link"] {
      #expect(try resolve(name) == directory("real/inner/file"))
    }
    // `..` is the parent of the link's target, not of the link.
    #expect(try resolve("relative/../other") == directory("real/other"))
    #expect(
      steps("absolute/link") == [
        ": absolute", ": relative", ": -", "real: -", "real/inner: link", "real: -",
        "real/inner: file",
      ])
  }

  @Test func danglingLinkResolvesToItsTarget() throws {
    try link("dangling", to: "nowhere/file")
    #expect(try resolve("dangling") == directory("nowhere/file"))
    #expect(steps("dangling").suffix(2).last == ": nowhere")
    try link("there", to: "x/y")
    #expect(try resolve("there/./z/file") == directory("x/y/z/file"))
    try make("x")
    #expect(steps("there/z/file").suffix(2) == [": x", "x: y"])
  }

  @Test func atMostFortyLinksAreFollowed() throws {
    try FileSystem().replaceFile(at: directory("0"), with: [])
    for number in 1...41 { try link("\(number)", to: "\(number - 1)") }
    #expect(try resolve("40") == directory("0"))
    #expect(throws: SystemError(call: .readlink, path: directory("41"), code: ELOOP)) {
      try FileSystem().resolve(directory("41"))
    }
    // The kernel has the same limit.
    _ = try FileSystem().open(directory("40"), O_RDONLY)
    #expect(throws: SystemError(call: .open, path: directory("41"), code: ELOOP)) {
      _ = try FileSystem().open(directory("41"), O_RDONLY)
    }
  }

  @Test func unresolvablePathIsAnError() throws {
    func expectError(_ code: Int32, at path: String, resolving other: String? = nil) {
      #expect(throws: SystemError(call: .readlink, path: path, code: code)) {
        try FileSystem().resolve(other ?? path)
      }
    }
    expectError(ENOENT, at: directory("missing"), resolving: directory("missing/../file"))
    try link("loop", to: "loop")
    expectError(ELOOP, at: directory("loop/a"))
    try FileSystem().replaceFile(at: directory("file"), with: [])
    expectError(ENOTDIR, at: directory("file/a"), resolving: directory("file/a/b"))
    expectError(ENOENT, at: "")
    expectError(EINVAL, at: "/a\0b")
    let bytes: [CChar] = [0x61, -1, 0]
    try #require(unsafe symlink(bytes, directory("link")) == 0)
    expectError(EILSEQ, at: directory("a\u{FFFD}"), resolving: directory("link"))
  }

  @Test func relativePathStaysRelative() throws {
    let name = "no such file of Locket"
    #expect(try FileSystem().resolve(name) == name)
    #expect(try FileSystem().resolve("./\(name)") == name)
    #expect(try FileSystem().resolve("../../\(name)") == "../../\(name)")
    #expect(try FileSystem().resolve("/") == "/")
  }

  @Test func failedCallsAreThrown() throws {
    let path = directory("file")
    let calls = FaultAtCall.oneAfterAnother([EACCES]) { fault in
      do throws(SystemError) {
        let resolved = try fault.fileSystem.resolve(path)
        #expect(resolved == path && !fault.happened)
      } catch {
        #expect(error.code == EACCES && error.call == .readlink)
      }
    }
    // One call for each component.
    #expect(calls == path.split(separator: "/").count)
  }
}
