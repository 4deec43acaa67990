import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import StorageTesting
import TestSupport
import Testing

@testable import SecretStorage

@Suite(.expectsFailures)
struct DirectorySecretStoreTests {
  private final class SuppliedStore: Sendable {
    let directory: SecretFilesDirectory
    let volume: MountedVolume?

    init(mounted: Bool) throws {
      directory = try SecretFilesDirectory()
      volume = mounted ? try MountedVolume(directory.path) : nil
    }

    func supply(_ items: [ItemIdentity: String]) throws {
      guard let volume else { return try directory.replace(items) }
      try volume.replace(
        items.reduce(into: [:]) { $0[SecretFilesDirectory.name(of: $1.key)] = $1.value })
    }
  }

  /// A suite whose checks each have a directory that it keeps until the check is over.
  private static func conformance(mounted: Bool) -> (ReadOnlyStoreConformance, Lock<SuppliedStore?>)
  {
    let current = Lock<SuppliedStore?>(nil)
    let conformance = ReadOnlyStoreConformance(
      mounted ? "A mounted volume" : "A directory", timeout: .seconds(20),
      makeStore: { items in
        let supplied = try SuppliedStore(mounted: mounted)
        try supplied.supply(items)
        current.withLock { $0 = supplied }
        return DirectorySecretStore(directory: supplied.directory.url)
      },
      supply: { _, items in try current.withLock { $0 }?.supply(items) })
    return (conformance, current)
  }

  @Test(arguments: ReadOnlyStoreConformance.Check.allCases, [false, true])
  func storeConforms(_ check: ReadOnlyStoreConformance.Check, _ mounted: Bool) async {
    let (conformance, directory) = Self.conformance(mounted: mounted)
    await conformance.run(check)
    withExtendedLifetime(directory) {}
  }

  @Test func fileIsDecodedByTheTypeOfTheProperty() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("8443\n", to: "port")
    try directory.write("token\n", to: "github/token")
    let store = DirectorySecretStore(directory: directory.url)
    #expect(try PasswordItem<Int>(.generic(service: "port"), in: store).load() == 8443)
    #expect(
      try PasswordItem<String>(.generic(service: "github", account: "token"), in: store).load()
        == "token")
    let data = PasswordItem<Data>(.generic(service: "port"), in: store)
    #expect(try data.load() == Data("8443".utf8))
    let binary = DirectorySecretStore(directory: directory.url, keepsTrailingNewline: true)
    #expect(
      try PasswordItem<Data>(.generic(service: "port"), in: binary).load() == Data("8443\n".utf8))
  }

  @Test(arguments: [
    ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("\n", ""), ("", ""), ("a\r", "a\r"),
    ("\na", "\na"), ("\r\n", ""),
  ])
  func oneTrailingLineBreakIsCut(_ written: String, _ read: String) throws {
    let directory = try SecretFilesDirectory()
    try directory.write(written, to: "a")
    #expect(try DirectorySecretStore(directory: directory.url).text(.generic(service: "a")) == read)
    let keeping = DirectorySecretStore(directory: directory.url, keepsTrailingNewline: true)
    #expect(try keeping.text(.generic(service: "a")) == written)
  }

  @Test func namingGivesIdentities() throws {
    let directory = try SecretFilesDirectory()
    for name in ["a", "b/c", "d__e", "__f", "g__", ".hidden", "b/.hidden", "h/i/j"] {
      try directory.write(name, to: name)
    }
    func identities(_ naming: ItemNaming) throws -> Set<ItemIdentity> {
      Set(
        try DirectorySecretStore(directory: directory.url, naming: naming)
          .items(matching: .all).map(\.identity))
    }
    #expect(
      try identities(.serviceAndAccount) == [
        .generic(service: "a"), .generic(service: "b", account: "c"),
        .generic(service: "d", account: "e"), .generic(service: "__f"), .generic(service: "g__"),
      ])
    #expect(
      try identities(.service) == [
        .generic(service: "a"), .generic(service: "d__e"), .generic(service: "__f"),
        .generic(service: "g__"),
      ])
    let server = ItemIdentity.internet(server: "example.com", account: "c", protocol: .imaps)
    #expect(try identities(.mapping(["b/c": server])) == [server])
  }

  @Test func twoFilesOfOneItemAreAnError() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("1", to: "a/b")
    let store = DirectorySecretStore(directory: directory.url)
    #expect(try store.text(.generic(service: "a")) == "1")
    try directory.write("2", to: "a__b")
    let error = #expect(throws: SecretStoreError.self) { try store.items(matching: .all) }
    #expect(error?.description.contains("a/b and a__b") ?? false)
    try FileSystem().unlink(directory("a__b"))
    #expect(try store.text(.generic(service: "a")) == "1")
  }

  @Test func unsetCredentialsAreEmptyAndUnreadableOnesUnavailable() throws {
    func store(_ path: String?) -> DirectorySecretStore {
      DirectorySecretStore(
        credentials: .serviceAndAccount, keepsTrailingNewline: false,
        environment: path.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
    }
    let empty = store(nil)
    #expect(try empty.items(matching: .all).isEmpty)
    #expect(try empty.revision() == empty.revision())
    let directory = try SecretFilesDirectory()
    try directory.write("token", to: "github")
    #expect(try store(directory.path).text(.generic(service: "github")) == "token")
    for path in ["", "relative", directory("missing"), directory("github")] {
      let unavailable = store(path)
      for access in [
        { _ = try unavailable.items(matching: .all) }, { _ = try unavailable.revision() },
        { _ = try unavailable.secret(of: SecretItem.ID(uuid: UUID())) },
      ] as [() throws -> Void] {
        let error = #expect(throws: SecretStoreError.self) { try access() }
        guard case .unavailable = error else {
          Issue.record("\(path): \(String(describing: error))")
          return
        }
      }
      let property = PasswordItem<String>(.generic(service: "github"), in: unavailable)
      #expect(property.value == nil)
      #expect(property.status != .absent)
    }
  }

  @Test func propertyIsUpdatedOnChange() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("1", to: "github/token")
    let store = DirectorySecretStore(directory: directory.url)
    let property = PasswordItem<Int>(
      .generic(service: "github"), refreshPolicy: .onChange, in: store)
    let heard = Heard<Int>()
    let observation = store.observeChanges { heard.hear(property.value ?? -1) }
    for (number, name) in [(2, "github/token"), (3, "github/token"), (4, "new/token")] {
      try directory.write("\(number)", to: name)
      if name == "new/token" { try FileSystem().unlink(directory("github/token")) }
      #expect(heard.wait(for: name == "new/token" ? -1 : number))
    }
    observation.cancel()
  }

  /// The identifier and the revision of an item of another instance are those of this one.
  @Test func identifiersAreThoseOfThePathAndTheName() throws {
    let directory = try SecretFilesDirectory()
    try directory.write("1", to: "a")
    try directory.write("1", to: "b")
    let first = try DirectorySecretStore(directory: directory.url).items(matching: .all)
    let second = try DirectorySecretStore(directory: directory.url).items(matching: .all)
    #expect(first.map(\.id) == second.map(\.id))
    let other = try SecretFilesDirectory()
    try other.write("1", to: "a")
    let third = try DirectorySecretStore(directory: other.url).items(matching: .all)
    #expect(Set((first + third).map(\.id)).count == 3)
  }
}
