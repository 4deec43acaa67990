import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A file of a ConfigMap that Kubernetes mounts as a volume and updates.
struct MountedConfigMapTests {
  private struct Pair: Codable, Equatable, Sendable {
    var first = 0
    var second = 0
    /// Makes a torn file likely to be noticed.
    var padding = ""
  }

  private final class Volume: Sendable {
    let path: String
    private let volume: MountedVolume
    private let version = Lock(0)

    init(_ path: String) throws {
      self.path = path
      volume = try MountedVolume(path)
      try update()
    }

    @discardableResult
    func update() throws -> Int {
      let version = version.withLock { version in
        version += 1
        return version
      }
      let padding = String(repeating: "x", count: version % 7 * 1000)
      try volume.replace([
        "settings.json":
          #"{"pair": {"first": \#(version), "padding": "\#(padding)", "second": \#(version)}}"#
      ])
      return version
    }
  }

  @Test func swapsAreReadWhollyAndNeverAsAbsent() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    ReportedFailures.record()
    let volume = try Volume(directory("config"))
    let own = directory.url.appending(path: "own.json")
    let file = URL(filePath: "\(volume.path)/settings.json")
    let layers: [KeyValueLayer] = [.json(own), .json(file, isReadOnly: true)]
    let store = KeyValueStore(layers: layers)
    let property = StoredValue(wrappedValue: Pair(), "pair", in: store)
    let isOver = Lock(false)
    let reads = Lock(0)
    let count = Campaign.size(sample: 1_000, full: 10_000)
    try onThreads(4) { thread throws(any Error) in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        for _ in 0..<count { try volume.update() }
        return
      }
      var last = 0
      while !isOver.withLock({ $0 }) {
        let pair =
          switch thread {
          case 1: property.wrappedValue
          case 2: try #require(try store.value(of: "pair", as: Pair.self))
          default: try #require(try KeyValueStore(json: file).value(of: "pair", as: Pair.self))
          }
        try #require(pair.first == pair.second)
        try #require(pair.first >= max(1, last))
        last = pair.first
        reads.withLock { $0 += 1 }
      }
    }
    #expect(reads.withLock { $0 } > 100)
    #expect(try property.load().first == count + 1)
    #expect(property.source == .store(name: file.path))
    #expect(property.error == nil)
  }

  /// The kernel fails in this way if the directory is removed during the call.
  ///
  /// The second and third `stat` are of the open file, and cannot fail.
  @Test(arguments: [(FileSystem.Call.stat, 0), (.stat, 3), (.open, 0)])
  func fileThatIsMissingDuringOneCallIsRead(_ missed: FileSystem.Call, _ index: Int) throws {
    let directory = try TemporaryDirectory()
    let volume = try Volume(directory("config"))
    let path = "\(volume.path)/settings.json"
    let calls = Lock(Int.max)
    let fileSystem = FileSystem { call, called in
      guard call == missed, called == path else { return nil }
      return calls.withLock { calls in
        calls -= calls == Int.max ? 0 : 1
        return calls == -1 ? ENOENT : nil
      }
    }
    let backend = FileBackend(path: path, format: .json, fileSystem: fileSystem)
    for isKnown in [false, true] {
      if isKnown { _ = try backend.load() }
      let version = try volume.update()
      calls.withLock { $0 = index }
      for _ in 0..<3 {
        let contents = try backend.load()
        let value = try #require(contents["pair"])
        #expect(String(decoding: value, as: UTF8.self).contains("\(version)"))
      }
      calls.withLock { $0 = Int.max }
    }
  }

  @Test func swapsAreHeard() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    ReportedFailures.record()
    let volume = try Volume(directory("config"))
    let file = URL(filePath: "\(volume.path)/settings.json")
    let store = KeyValueStore(layers: [
      .environment(prefix: "A_", [:]), .json(directory.url.appending(path: "own.json")),
      .json(file, isReadOnly: true),
    ])
    let heard = Heard<Int>()
    let property = StoredValue(wrappedValue: Pair(), "pair", in: store)
    let observation = property.observe { heard.hear($1.first) }
    for _ in 0..<Campaign.size(sample: 20, full: 1_000) {
      let version = try volume.update()
      #expect(heard.wait(for: version))
    }
    #expect(!heard.all.contains(0))
    observation.cancel()
  }
}
