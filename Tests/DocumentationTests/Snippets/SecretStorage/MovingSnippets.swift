import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// The code of the article "Export and import".
final class MovingSnippets: DirectoryTests {
  @Test func secretsMove() throws {
    let (vault, other) = (directory.vault("one"), directory.vault("other"))
    let passphrase = "The Valley Wind"
    let (file, copy) = (
      directory.url.appending(path: "export"), directory.url.appending(path: "copy")
    )
    let isCancelled = false
    for (account, accessibility) in [("a", Accessibility.always), ("b", .alwaysThisDeviceOnly)] {
      _ = try vault.add(
        Secret(account.utf8), identity: .generic(account: account),
        attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
    }
    let exported = try vault.export(to: file, passphrase: Secret(passphrase.utf8))
    print("\(exported.exported.count) exported, \(exported.omitted.count) bound to this device")
    #expect(exported.exported.count == 1 && exported.omitted.count == 1)

    let password = Secret(passphrase.utf8)
    let plan = try other.importItems(from: file, passphrase: password, isDryRun: true)
    print("\(plan.identities(.added).count) new, \(plan.identities(.conflict).count) in conflict")
    #expect(plan.identities(.added).count == 1)

    let done = try other.importItems(from: file, passphrase: password, replacing: true)
    for entry in done.entries where entry.outcome.isRefusal {
      print("\(entry.identity.account ?? ""): \(entry.outcome)")
    }
    #expect(done == plan)

    try vault.export(to: copy, passphrase: password) { progress in
      print("\(progress.completed) of \(progress.total)")
      return isCancelled ? .cancel : .proceed
    }
    #expect(
      try other.importItems(from: copy, passphrase: password).identities(.identical).count == 1)
  }
}
