import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Directories that an attacker has made, or a mistake.
@Suite(.timeLimit(.minutes(5)), .expectsFailures)
struct HostileDirectoryTests {
  private func error(_ store: DirectorySecretStore, _ service: String) throws -> String {
    let item = try #require(try store.items(matching: .exactly(.generic(service: service))).first)
    let error = #expect(throws: SecretStoreError.self) { try store.secret(of: item.id) }
    let property = PasswordItem<String>(.generic(service: service), in: store)
    #expect(property.value == nil)
    #expect(property.status != .absent)
    return error?.description ?? ""
  }

  @Test func otherFilesThanRegularOnesAreNotOpened() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("1", to: "good")
    #expect(unsafe mkfifo(directory("fifo"), 0o600) == 0)
    let store = DirectorySecretStore(directory: directory.url)
    #expect(try error(store, "fifo").contains("not a regular file"))
    for (name, target) in [
      ("zero", "/dev/zero"), ("tty", "/dev/tty"), ("memory", "/proc/self/mem"),
    ] {
      try directory.link(target, as: name)
      let text = try error(store, name)
      #expect(text.contains("not a regular file") || text.contains("leads out of"))
    }
    #expect(try store.text(.generic(service: "good")) == "1")
  }

  @Test func linksDoNotLeadOut() throws {
    let directory = try SecretFilesDirectory()
    try Data("outside".utf8).write(to: URL(filePath: directory.outside("outside")))
    try directory.write("inside", to: "target")
    try directory.link("target", as: "inside")
    try directory.link("../outside", as: "relative")
    try directory.link(directory.outside("outside"), as: "absolute")
    try directory.link("inside", as: "chain")
    try directory.link("relative", as: "out")
    try directory.link("loop", as: "loop")
    try directory.link("missing", as: "dangling")
    // Directories that are links are not searched.
    try directory.link("..", as: "parent")
    let store = DirectorySecretStore(directory: directory.url)
    #expect(try store.text(.generic(service: "inside")) == "inside")
    #expect(try store.text(.generic(service: "chain")) == "inside")
    for name in ["relative", "absolute", "out"] {
      #expect(try error(store, name).contains("leads out of"))
    }
    for name in ["loop", "dangling"] {
      #expect(try error(store, name).contains("leads to no file"))
    }
    #expect(try store.items(matching: .matching(.generic(service: "parent"))).isEmpty)
    #expect(try store.items(matching: .all).count == 8)
  }

  @Test func volumeDoesNotLeadOut() throws {
    let directory = try SecretFilesDirectory()
    try FileSystem().makeDirectories(directory.outside("other"))
    try Data("outside".utf8).write(to: URL(filePath: directory.outside("other/token")))
    try directory.link("../other", as: "..data")
    let store = DirectorySecretStore(directory: directory.url)
    #expect {
      try store.items(matching: .all)
    } throws: {
      if case .insecure = $0 as? SecretStoreError { true } else { false }
    }
  }

  @Test func hugeFileIsNotRead() throws {
    let directory = try SecretFilesDirectory()
    for (name, size) in [("huge", 1 << 40), ("large", ItemLimits.secretSize + 1)] {
      try directory.write("", to: name)
      try FileSystem().open(directory(name), O_WRONLY).truncate(to: size)
    }
    try directory.write("", to: "largest")
    try FileSystem().open(directory("largest"), O_WRONLY).truncate(to: ItemLimits.secretSize)
    let store = DirectorySecretStore(directory: directory.url)
    for name in ["huge", "large"] { #expect(try error(store, name).contains("must not exceed")) }
    let item = try #require(try store.item(.generic(service: "largest")))
    #expect(try store.secret(of: item.id)?.secret.count == ItemLimits.secretSize)
  }

  @Test(arguments: [false, true])
  func entriesAreLimited(_ inSubdirectories: Bool) throws {
    let directory = try SecretFilesDirectory()
    let store = DirectorySecretStore(directory: directory.url)
    func make(_ number: Int) throws {
      let name = inSubdirectories ? "\(number % 2)/\(number)" : "\(number)"
      let file = try FileSystem().makingDirectories(for: directory(name)) {
        () throws(SystemError) in
        try FileSystem().open(directory(name), O_WRONLY | O_CREAT, mode: 0o600)
      }
      _ = try file.status()
    }
    let limit = SecretDirectory.entryLimit - (inSubdirectories ? 2 : 0)
    for number in 0..<limit { try make(number) }
    #expect(try store.items(matching: .all).count == limit)
    try make(limit)
    for access in [
      { _ = try store.items(matching: .all) }, { _ = try store.revision() },
    ] as [() throws -> Void] {
      let error = #expect(throws: SecretStoreError.self) { try access() }
      #expect(error?.description.contains("more than 4096 entries") ?? false)
    }
  }

  @Test func namesThatAreNotTextAreNoItems() throws {
    let directory = try SecretFilesDirectory()
    let name: [UInt8] = Array(directory("").utf8) + [0xFF, 0x61, 0]
    let descriptor = unsafe name.withUnsafeBytes {
      unsafe open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_WRONLY | O_CREAT, 0o600)
    }
    #expect(descriptor >= 0)
    close(descriptor)
    try directory.write("1", to: "é\n\u{202e}")
    let store = DirectorySecretStore(directory: directory.url)
    #expect(try store.items(matching: .all).map(\.identity) == [.generic(service: "é\n\u{202e}")])
    // The two forms of é are equal as text, and two files.
    try directory.write("2", to: "e\u{301}\n\u{202e}")
    #expect(throws: SecretStoreError.self) { try store.items(matching: .all) }
  }

  /// The kernel refuses to list or to open what root could.
  @Test(arguments: [(FileSystem.Call.opendir, "sub"), (.open, "file"), (.readdir, "sub")])
  func unreadableEntryIsAnError(_ refused: FileSystem.Call, _ name: String) throws {
    let directory = try SecretFilesDirectory()
    try directory.write("1", to: "file")
    try directory.write("1", to: "sub/file")
    var secrets = SecretDirectory(
      path: directory.path, naming: .serviceAndAccount, keepsTrailingNewline: false)
    secrets.fileSystem = FileSystem { call, path in
      call == refused && path.contains("/\(name)") ? EACCES : nil
    }
    let store = DirectorySecretStore(secrets)
    let error = #expect(throws: SecretStoreError.self) {
      try store.text(.generic(service: "file"))
    }
    #expect(error?.description.contains("Permission denied") ?? false)
  }
}
