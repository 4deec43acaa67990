import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The settings file after the end of a process, for each way in which it may end.
struct EndOfProcessTests {
  @Test(arguments: zip(["return", "exit", "terminate"], KeyValueFormat.allCases))
  func normalEndWritesEverything(_ way: String, _ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let child = try SettingsChild("end", [way], on: file)
    if way == "terminate" {
      try child.wait(for: "ready")
      #expect(try FileSystem().status(of: file.path) == nil)
      child.process.signal(SIGTERM)
    }
    try child.process.wait()
    let store = file.open()
    #expect(try store.value(of: "number") == 1)
    #expect(try store.value(of: "name") == "name")
    #expect(try file.temporaryFiles == [])
  }

  @Test(arguments: ["quickExit", "exec"])
  func endWithoutExitHandlersWritesNothing(_ way: String) throws {
    let file = try TestFile(values: ["number": 5])
    try SettingsChild("end", [way], on: file).process.wait()
    #expect(try file.values() == ["number": 5])
  }

  @Test(arguments: ["transaction", "durableTransaction"])
  func endInATransactionWritesNothingOfIt(_ way: String) throws {
    let file = try TestFile(values: ["number": 5])
    let before = try file.bytes
    try SettingsChild("end", [way], on: file).process.wait()
    #expect(try file.bytes == before)
    #expect(try file.temporaryFiles == [])
    try file.open().set(6, for: "number")
  }

  @Test func endInAnInPlaceChangeWritesTheOtherKeys() throws {
    let file = try TestFile()
    try SettingsChild("end", ["change"], on: file).process.wait()
    #expect(try file.text == "{\n  \"name\": \"name\"\n}\n")
  }

  @Test func endInAnInPlaceChangeAwaitsNoTransaction() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["changeBesideTransaction"], on: file)
    try child.process.wait()
    let lines = try child.lines
    #expect(lines.count == 1 && lines[0].contains("\"unsaved\""), "\(lines)")
    #expect(try FileSystem().status(of: file.path) == nil)
  }

  @Test func killedProcessLeavesAUsableFile() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["wait"], on: file)
    try child.wait(for: "ready")
    #expect(child.kill() == SIGKILL)
    let store = file.open()
    #expect(try store.keys() == [])
    try store.set(2, for: "number")
    #expect(try file.values() == ["number": 2])
  }
}
