import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A Secret that Kubernetes mounts as a volume and replaces, or a directory behind a link.
@Suite(.timeLimit(.minutes(30)), .expectsFailures)
struct MountedSecretTests {
  /// Returns files whose texts all have the version, at the beginning and at the end.
  private func files(_ version: Int) -> [String: String] {
    let padding = String(repeating: "x", count: version % 7 * 1000)
    return [
      "github/token": "\(version) \(padding) \(version)", "port": "\(version) \(version)\n",
      "\(version % 3)": "\(version) \(version)",
    ]
  }

  private func version(of text: String) throws -> Int {
    let words = text.split(separator: " ")
    let version = try #require(words.first.flatMap { Int($0) })
    try #require(words.last.flatMap { Int($0) } == version)
    try #require(words.count == 2 || words[1].utf8.count == version % 7 * 1000)
    return version
  }

  @Test func swapsAreNeverTornAndNeverAbsent() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let volume = try MountedVolume(directory("secrets"))
    try volume.replace(files(1))
    let store = DirectorySecretStore(directory: URL(filePath: volume.path))
    let token = PasswordItem<String>(.generic(service: "github", account: "token"), in: store)
    let count = Campaign.size(sample: 500, full: 10_000)
    let isOver = Lock(false)
    let reads = Lock(0)
    let newest = Lock(1)
    try onThreads(9) { thread throws(any Error) in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        // A busy machine needs more swaps for as many reads, but a reader may have failed.
        for version in 2...(20 * count) {
          try volume.replace(files(version))
          newest.withLock { $0 = version }
          if version >= count, reads.withLock({ $0 >= 100 }) { return }
        }
        return
      }
      var last = 1
      while !isOver.withLock({ $0 }) {
        let text: String
        switch thread % 4 {
        case 0: text = try #require(try token.load())
        case 1: text = try #require(try store.text(.generic(service: "port")))
        case 2:
          let own = DirectorySecretStore(directory: URL(filePath: volume.path))
          text = try #require(try own.text(.generic(service: "github")))
        default:
          let items = try store.items(matching: .all)
          // The names are those of one version.
          try #require(items.count == 3)
          text = try #require(try store.text(.generic(service: "github")))
        }
        let version = try version(of: text)
        try #require(version >= last)
        last = version
        reads.withLock { $0 += 1 }
      }
    }
    #expect(reads.withLock { $0 } >= 100)
    #expect(try version(of: #require(try token.load())) == newest.withLock { $0 })
  }

  /// A link to directories of which the old ones are removed, as some secret managers do it.
  @Test func directoryBehindALinkIsNeverTornAndNeverAbsent() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let count = Campaign.size(sample: 200, full: 2_000)
    @Sendable func make(_ version: Int) throws {
      for (name, text) in files(version) {
        let file = directory("generation-\(version)/\(name)")
        try FileSystem().makeDirectories(file.parentDirectory)
        try Data(text.utf8).write(to: URL(filePath: file))
      }
      try #require(unsafe symlink("generation-\(version)", directory("new")) == 0)
      try FileSystem().rename(directory("new"), to: directory("secrets"))
      if version > 1 {
        try FileManager.default.removeItem(atPath: directory("generation-\(version - 1)"))
      }
    }
    try make(1)
    let store = DirectorySecretStore(directory: URL(filePath: directory("secrets")))
    let isOver = Lock(false)
    try onThreads(3) { thread throws(any Error) in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        for version in 2...count { try make(version) }
        return
      }
      while !isOver.withLock({ $0 }) {
        _ = try version(of: #require(try store.text(.generic(service: "port"))))
        try #require(try store.items(matching: .all).count == 3)
      }
    }
    #expect(try version(of: #require(try store.text(.generic(service: "port")))) == count)
  }

  @Test func swapsAreHeard() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let volume = try MountedVolume(directory("secrets"))
    try volume.replace(files(1))
    let store = DirectorySecretStore(directory: URL(filePath: volume.path))
    let property = PasswordItem<String>(
      .generic(service: "port"), refreshPolicy: .onChange, in: store)
    let heard = Heard<String>()
    let observation = store.observeChanges { heard.hear(property.value ?? "absent") }
    for version in 2...Campaign.size(sample: 20, full: 1_000) {
      try volume.replace(files(version))
      #expect(heard.wait(for: "\(version) \(version)"))
    }
    #expect(!heard.all.contains("absent"))
    observation.cancel()
  }

  /// Files that are written in place, within one tick of the kernel's clock.
  @Test func changesWithinATickAreSeen() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("0", to: "a")
    let store = DirectorySecretStore(directory: directory.url)
    let file = try FileSystem().open(directory("a"), O_WRONLY)
    let property = PasswordItem<String>(.generic(service: "a"), in: store)
    for number in 0..<2_000 {
      let revision = try store.revision()
      try file.write("\(number % 10)".utf8, at: 0)
      // The status of the file may be the same.
      #expect(try store.revision() != revision)
      #expect(property.value == "\(number % 10)")
    }
  }
}
