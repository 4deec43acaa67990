import CLibrary
import StorageInternals
import TestSupport
import Testing

final class PathWatchTests: ChangedDirectory {
  @Test(arguments: [false, true])
  func creatingReplacingAndRemovingIsReported(eachWrite: Bool) async throws {
    var watcher = try Watcher(directory("file"), eachWrite: eachWrite)
    for text in ["a", "b", "c"] { try await watcher.expect(text) { try write(text, to: "file") } }
    try await watcher.expect(nil) { try remove("file") }
    try await watcher.expect("d") { try write("d", to: "file") }
    try await watcher.expect(nil) { try move("file", to: "other") }
    try await watcher.expect("d") {
      try FileSystem().link(directory("other"), to: directory("file"))
    }
  }

  @Test func writingIsReportedWhenTheFileIsClosed() async throws {
    try write("long text", to: "file")
    var watcher = try Watcher(directory("file"))
    try await watcher.expect("b") {
      try FileSystem().open(directory("file"), O_WRONLY | O_TRUNC).write([0x62], at: 0)
    }
  }

  @Test func eachWriteIsReportedWhileTheFileIsOpen() async throws {
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"), eachWrite: true)
    let file = try FileSystem().open(directory("file"), O_WRONLY)
    try await watcher.expect("ab") { try file.write([0x62], at: 1) }
    try await watcher.expect("abc") { try file.write([0x63], at: 2) }
    // Keeps the file open until here.
    _ = try file.status()
  }

  @Test(arguments: [false, true])
  func writingUnderAnotherNameIsReported(eachWrite: Bool) async throws {
    try make("there")
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"), eachWrite: eachWrite)
    // The second file takes the place of the first one.
    for round in 1...2 {
      try FileSystem().link(directory("file"), to: directory("there/\(round)"))
      for text in ["b", "c"] {
        try await watcher.expect("\(text)\(round)") {
          try FileSystem().open(directory("there/\(round)"), O_WRONLY | O_TRUNC)
            .write(Array("\(text)\(round)".utf8), at: 0)
        }
      }
      try await watcher.expect("new \(round)") { try write("new \(round)", to: "file") }
    }
  }

  @Test func changingTheModeIsReported() async throws {
    try write("a", to: "file")
    var watcher = try Watcher(directory("file"))
    try FileSystem().open(directory("file"), O_RDONLY).changeMode(to: 0o640)
    #expect(await watcher.calls.next(isolation: #isolation) == "a")
  }

  @Test func targetOfALinkIsWatched() async throws {
    try make("there")
    try write("a", to: "there/file")
    try link("link", to: "there/file")
    var watcher = try Watcher(directory("link"))
    try await watcher.expect("b") { try write("b", to: "there/file") }
    try write("c", to: "other")
    try await watcher.expect("c") { try link("link", to: "other") }
    try await watcher.expect("d") { try write("d", to: "other") }
    // A file replaces the link.
    try await watcher.expect("e") { try write("e", to: "link") }
    try await watcher.expect("f") { try write("f", to: "link") }
  }

  @Test func targetOfADanglingLinkIsWatched() async throws {
    try link("link", to: "x/y/file")
    var watcher = try Watcher(directory("link"))
    try make("x/y")
    try await watcher.expect("a") { try write("a", to: "x/y/file") }
    try await watcher.expect(nil) { try link("link", to: "link") }
    try await watcher.expect("a") { try link("link", to: "x/y/file") }
  }

  @Test(arguments: [true, false]) func recreatedDirectoryIsWatched(isInUse: Bool) async throws {
    try make("a/b")
    try write("0", to: "a/b/file")
    var watcher = try Watcher(directory("a/b/file"))
    for number in 1...(isInUse ? 20 : 5) {
      // The kernel reports the removal of a directory only when no process has it open any longer.
      let names = isInUse ? ["a", "a/b"] : [".", "."]
      let first = try FileSystem().open(directory(names[0]), O_RDONLY | O_DIRECTORY)
      let second = try FileSystem().open(directory(names[1]), O_RDONLY | O_DIRECTORY)
      try await watcher.expect(nil) { try remove("a") }
      try make("a/b")
      try await watcher.expect("\(number)") { try write("\(number)", to: "a/b/file") }
      _ = try (first.status(), second.status())
    }
  }

  @Test func renamedDirectoriesAreReported() async throws {
    try make("a/b/c")
    try make("x/b/c")
    try write("0", to: "a/b/c/file")
    try write("1", to: "x/b/c/file")
    var watcher = try Watcher(directory("a/b/c/file"))
    try await watcher.expect(nil) { try move("a", to: "old") }
    try await watcher.expect("1") { try move("x", to: "a") }
    try await watcher.expect("2") { try write("2", to: "a/b/c/file") }
    try await watcher.expect(nil) { try move("a/b", to: "b") }
    try await watcher.expect("0") { try link("a/b", to: "../old/b") }
    try await watcher.expect("3") { try write("3", to: "old/b/c/file") }
  }

  @Test func directoryThatReplacesAFileIsWatched() async throws {
    try write("", to: "a")
    var watcher = try Watcher(directory("a/file"))
    try make("b")
    try write("1", to: "b/file")
    try remove("a")
    try await watcher.expect("1") { try move("b", to: "a") }
  }

  @Test func stateAfterManyQuickChangesIsReported() async throws {
    for name in ["0", "1"] {
      try make(name)
      try write("\(name) at first", to: "\(name)/file")
    }
    try link("data", to: "0")
    try link("file", to: "data/file")
    var watcher = try Watcher(directory("file"))
    for round in 0..<5 {
      try await watcher.expect("end \(round)") {
        for number in 0..<25 {
          try link("data", to: "\(number % 2)")
          try write("\(round), \(number)", to: "\(number % 2)/file")
          if number % 7 == 0 {
            try move("0", to: "moved")
            try move("moved", to: "0")
          }
        }
        try write("end \(round)", to: "0/file")
      }
    }
  }
}
