import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The settings file after the end of a process, for each way in which it may end.
struct EndOfProcessTests {
  private static let kinds = KeyValueFormat.allCases.flatMap { format in
    ["return", "exit", "terminate"].map { (format, $0) }
  }

  @Test(arguments: kinds)
  func processThatEndsByItselfWritesEverything(
    _ format: KeyValueFormat, _ way: String
  ) throws {
    let file = try TestFile(format)
    let child = try SettingsChild("end", [way], on: file, output: "\(file.directory)/output")
    if way == "terminate" {
      try child.wait(for: "ready")
      #expect(try FileSystem().status(of: file.path) == nil)
      child.process.signal(SIGTERM)
    }
    try wait { child.process.hasEnded }
    try child.process.wait()
    let store = file.open()
    #expect(try store.value(of: "number") == 1)
    #expect(try store.value(of: "name") == "name")
    #expect(try file.temporaryFiles == [])
  }

  @Test(arguments: ["transaction", "durableTransaction"])
  func processThatEndsInATransactionWritesNothingOfIt(_ way: String) throws {
    let file = try TestFile()
    try file.open().set(5, for: "number")
    let before = try file.bytes
    let child = try SettingsChild("end", [way], on: file, output: "\(file.directory)/output")
    // An unlimited wait could hang, because the process could deadlock.
    try wait { child.process.hasEnded }
    try child.process.wait()
    #expect(try file.bytes == before)
    #expect(try file.temporaryFiles == [])
    try file.open().set(6, for: "number")
  }

  @Test func processThatEndsInAChangeInPlaceWritesTheOtherKeys() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["change"], on: file, output: "\(file.directory)/output")
    try wait { child.process.hasEnded }
    try child.process.wait()
    #expect(try file.text == "{\n  \"name\": \"name\"\n}\n")
  }

  @Test func processThatEndsInAChangeBesideATransactionDoesNotWaitForIt() throws {
    let file = try TestFile()
    let child = try SettingsChild(
      "end", ["changeBesideTransaction"], on: file, output: "\(file.directory)/output")
    try wait { child.process.hasEnded }
    try child.process.wait()
    #expect(try FileSystem().status(of: file.path) == nil)
  }

  @Test func killedProcessLeavesAFileThatCanBeReadAndWritten() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["wait"], on: file, output: "\(file.directory)/output")
    try child.wait(for: "ready")
    child.process.stop()
    #expect(child.process.end() == SIGKILL)
    let store = file.open()
    #expect(try store.keys() == [])
    try store.set(2, for: "number")
    #expect(try file.open().value(of: "number") == 2)
  }
}
