import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

final class FileBackendMovingAsideTests: BackendTests {
  @Test func movedFileIsKeptAndReplacesNoOther() throws {
    var places: Set<String> = []
    for number in 0..<5 {
      try file.replace("no sign \(number)")
      let status = try file.status
      let backend = file.open()
      let place = try #require(try backend.moveAside())
      #expect(try backend.texts() == [:])
      #expect(places.insert(place).inserted)
      #expect(try FileSystem().status(of: place)?.inode == status?.inode)
      let name = try #require(place.wholeMatch(of: /(.*\/settings)\.unreadable-\d{8}T\d{6}Z.*/))
      #expect(name.output.1 == file.path)
    }
    let texts = try places.map { try file.text(of: $0) }
    #expect(Set(texts) == Set((0..<5).map { "no sign \($0)" }))
  }

  @Test func emptyAndTooLargeFilesAreMoved() throws {
    try file.overwrite("")
    let place = try #require(try file.open().moveAside())
    #expect(try file.text(of: place) == "")
    try FileSystem().open(file.path, O_WRONLY | O_CREAT, mode: 0o600).truncate(to: 1 << 30)
    let other = try #require(try file.open().moveAside())
    #expect(try FileSystem().status(of: other)?.size == 1 << 30)
    #expect(try file.status == nil)
  }

  @Test func readableAndMissingFilesStay() throws {
    #expect(try file.open().moveAside() == nil)
    #expect(try file.names == [])
    try file.replace("a=1\n")
    #expect(try file.open().moveAside() == nil)
    #expect(try file.names == ["settings"])
  }

  @Test func fileRepairedDuringTheWaitForTheLockStays() throws {
    try file.replace("no sign")
    let fileSystem = FileSystem.before(.flock) { [file] _ in try file.replace("a=1\n") }
    #expect(try file.open(fileSystem: fileSystem).moveAside() == nil)
    #expect(try file.text() == "a=1\n")
  }

  @Test func targetOfALinkIsMoved() throws {
    try FileSystem().makeDirectories(file("real"))
    try file.replace("no sign", at: file("real/target"))
    try file.link(file.path, to: "real/target")
    let place = try #require(try file.open().moveAside())
    #expect(place.hasPrefix(file("real/target.unreadable-")))
    #expect(try file.open().texts() == [:])
    #expect(try file.status?.isSymbolicLink == true)
  }

  @Test(arguments: [EIO, EINTR])
  func failedCallLeavesTheFileInOneOfTwoPlaces(_ code: Int32) throws {
    let calls = try FaultAtCall.oneAfterAnother([code]) { fault in
      // A file of its own, so that the number of calls does not grow with the names in use.
      let file = try BackendFile()
      try file.replace("no sign")
      let backend = file.open(fileSystem: fault.fileSystem)
      do {
        #expect(try backend.moveAside() != nil)
      } catch {
        #expect(code != EINTR, "\(error)")
        fault.disarm()
        if try file.status != nil {
          #expect(try file.text() == "no sign")
          #expect(try backend.moveAside() != nil)
        }
      }
      #expect(try file.status == nil)
      let kept = try file.names.filter { $0.contains(".unreadable-") }
      #expect(kept.count == 1, "\(String(describing: fault.failed))")
    }
    #expect(calls > 10)
  }
}
