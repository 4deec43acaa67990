import CLibrary
import FoundationEssentials
import SecretService
import SecretStorage
import StorageTesting
import TestSupport
import Testing

/// The contract against a real KeePassXC, in the full campaign.
@Suite(
  .enabled(
    if: Campaign.isFull && FileManager.default.isExecutableFile(atPath: "/usr/bin/keepassxc"),
    "KeePassXC is not installed, or this is only a sample"),
  .serialized)
struct KeePassXCTests {
  // Version 2.7.4 does not announce every change, so that observers can miss one.
  private static let checks = SecretStoreConformance.Check.allCases.filter {
    $0 != .observersAreNotifiedOfWrites
  }

  @Test(arguments: checks)
  func storeKeepsTheContract(_ check: SecretStoreConformance.Check) async throws {
    // Version 2.7.4 crashes in bursts of creations, by itself.
    for _ in 0..<8 {
      let bus = try TestBus(password: nil)
      let daemon = try KeePassXC(on: bus)
      let findings = await SecretStoreConformance(
        "SecretServiceStore over KeePassXC", largestSecret: 1 << 20, makeStore: { bus.store() },
        reopen: { _ in bus.store() }
      ).findings(of: check)
      if daemon.hasEnded { continue }
      #expect(findings == [])
      return
    }
    Issue.record("KeePassXC ended during each attempt.")
  }
}

/// A KeePassXC without a display, which offers a new database as Secret Service.
private final class KeePassXC {
  private let process: ChildProcess

  var hasEnded: Bool { process.hasEnded }

  init(on bus: TestBus) throws {
    let program = """
      set -e; cd "$HOME"; mkdir -p config/keepassxc tmp; export TMPDIR="$HOME/tmp"
      export QT_QPA_PLATFORM=offscreen
      printf 'pw\\npw\\n' | keepassxc-cli db-create -q -p base.kdbx
      printf 'pw\\n' | keepassxc-cli export -q base.kdbx >base.xml
      # Custom data says that the root group is exposed.
      id=$(tr -d '\\n\\t' <base.xml | sed -E 's/.*<Root>[^<]*<Group>[^<]*<UUID>([^<]+).*/\\1/')
      hex=$(printf %s "$id" | base64 -d | od -An -tx1 | tr -d ' \\n')
      uuid=$(printf %s "$hex" | sed -E 's/(.{8})(.{4})(.{4})(.{4})(.{12})/{\\1-\\2-\\3-\\4-\\5}/')
      key=FDO_SECRETS_EXPOSED_GROUP
      data="<CustomData><Item><Key>$key</Key><Value>$uuid</Value></Item></CustomData>"
      sed "0,/<\\/Meta>/s|</Meta>|$data</Meta>|" base.xml >exposed.xml
      printf 'pw\\npw\\n' | keepassxc-cli import -q -p exposed.xml database.kdbx
      cat >config/keepassxc/keepassxc.ini <<I
      [General]
      ConfigVersion=2
      UpdateCheckMessageShown=true
      AutoSaveAfterEveryChange=true
      [FdoSecrets]
      Enabled=true
      ShowNotification=false
      ConfirmAccessItem=false
      ConfirmDeleteItem=false
      UnlockBeforeSearch=true
      [GUI]
      CheckForUpdates=false
      [Security]
      LockDatabaseIdle=false
      I
      echo pw >pw
      exec keepassxc --pw-stdin database.kdbx <pw >/dev/null 2>&1
      """
    process = try bus.start(program, output: "keepassxc")
    let store = bus.store(timeLimit: .seconds(5))
    try wait {
      do {
        _ = try store.items(matching: .all)
        return true
      } catch {
        return process.hasEnded
      }
    }
    if process.hasEnded { throw WaitedInVain() }
  }
}
