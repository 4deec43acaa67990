import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Large secrets, which stay in the file until they are read.
struct VaultLargeSecretTests {
  private let vault = TestVault()
  private let large = String(repeating: "large", count: 200_000)

  private func add() throws -> [String: String] {
    let object = vault.open()
    var texts: [String: String] = [:]
    for number in 0..<5 {
      texts["large \(number)"] = large + "\(number)"
      texts["small \(number)"] = "small \(number)"
    }
    for account in texts.keys.sorted() { try object.add(texts[account]!, account: account) }
    return texts
  }

  /// The secrets of a record stay in the file or not together.
  @Test(arguments: [false, true])
  func largeSecretsStayInTheFile(_ isCompacted: Bool) throws {
    let texts = try add()
    if isCompacted { try vault.open().compact() }
    let object = vault.open()
    let stored = try object.withContents { contents in
      Set(contents.index.items.filter(\.sealed.isStored).compactMap(\.identity.account))
    }
    let large = Set((0..<5).map { "large \($0)" })
    #expect(isCompacted ? stored.isSuperset(of: large) : stored == large)
    #expect(try object.texts() == texts)
    #expect(try object.verify().isSound)
  }

  @Test func replacedFileIsReadUntilTheNextAccess() throws {
    let texts = try add()
    let (object, other) = (vault.open(), vault.open())
    #expect(try object.texts() == texts)
    let items = object.contents.withLock { Array($0.index.items) }
    try other.compact()
    try other.rotateKeys()
    for item in items { #expect(try item.sealed.bytes().count == item.sealed.count) }
    #expect(try object.texts() == texts)
    #expect(try object.verify().isSound)
  }

  @Test func largeSecretsShareADescriptor() throws {
    let texts = try add()
    func openFiles() throws -> Int {
      try FileSystem().targets(in: "/proc/self/fd").count {
        $0 == vault.path || $0 == "\(vault.path) (deleted)"
      }
    }
    let before = try openFiles()
    do {
      let object = vault.open()
      #expect(try object.texts() == texts)
      #expect(try openFiles() == before + 1)
      for round in 0..<3 {
        try vault.open().compact()
        for text in ["first", "appended"] {
          try vault.open().change("small 0", to: "\(text) \(round)")
          #expect(try object.text("small 0") == "\(text) \(round)")
        }
      }
      #expect(try openFiles() == before + 1)
    }
    #expect(try openFiles() == before)
  }

  @Test func truncatedOrChangedSecretIsNotReturned() throws {
    _ = try add()
    let object = vault.open()
    _ = try object.items(matching: .all)
    let stored = object.contents.withLock { $0.index.items.first { $0.sealed.isStored } }
    let item = try #require(stored)
    guard case .stored(_, let offset, let count) = item.sealed else {
      Issue.record("The secret is in memory.")
      return
    }
    try vault.damage(at: offset + count / 2)
    expectError("corrupted") {
      _ = try object.contents.withLock { contents throws(SecretStoreError) in
        try contents.open(item)
      }
    }
    try FileSystem().open(vault.path, O_WRONLY).truncate(to: offset + count / 2)
    #expect(
      throws: SecretStoreError.corrupted("\(vault.path) was cut off after it was read")
    ) { try item.sealed.bytes() }
    #expect(throws: SecretStoreError.self) { try object.text(item.identity.account ?? "") }
  }

  @Test func changesRotationAndExportKeepLargeSecrets() throws {
    var texts = try add()
    let object = vault.open()
    try object.change("large 0", to: "small now")
    try object.change("small 0", to: large)
    texts["large 0"] = "small now"
    texts["small 0"] = large
    let item = try #require(try object.item("large 1"))
    _ = try object.update(
      item.id, expecting: item.revision, attributes: ItemAttributes(label: "label"), secret: nil)
    try object.rotateKeys()
    #expect(try object.texts() == texts)
    #expect(try vault.open().texts() == texts)
    try vault.open().export(of: vault)
    let target = TestVault().open()
    try target.importItems(of: vault)
    #expect(try target.texts() == texts)
  }
}
