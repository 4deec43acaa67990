import CLibrary
import SecretStorage
import StorageInternals

extension SecretServiceStore: DiagnosedStore {
  package func diagnose(recording record: (String, String, Bool) -> Void) {
    do throws(SecretStoreError) {
      var isLocked: Bool?
      let findings = try access.withDaemon(by: Deadline(after: timeLimit)) { daemon, _ in
        let session = try daemon.openSession()
        let process = try daemon.ownersProcess()
        var findings = [
          (
            "Secret Service",
            """
            \(Self.program(of: process)), process \(process) of user \(try daemon.ownersUser()), \
            \(try daemon.owner()) on the bus \(access.address)
            """
          ),
          (
            "Transport",
            session.key == nil ? "not encrypted" : TransportSession.encryptedAlgorithm
          ),
        ]
        let standard = try daemon.defaultCollection()
        isLocked = try standard.map { try daemon.isLocked($0) }
        // Bounded, since the daemon may list any number.
        for path in try daemon.collections().prefix(32).map(\.value) {
          let label = try daemon.label(ofCollection: path)
          let name = label.isEmpty ? String(path.split(separator: "/").last ?? "") : label
          let lock = try daemon.isLocked(path) ? "locked" : "unlocked"
          let use = path == standard ? ", for new items" : ""
          findings.append(("Keyring", "\(name), \(lock)\(use)"))
        }
        return findings
      }
      for (subject, text) in findings { record(subject, text, false) }
      guard let isLocked else { throw .noCollection }
      if !isLocked { record("Items", "\(try items(matching: .all).count) of this library", false) }
      record("Guarantees", "\(guarantees)", false)
    } catch {
      record("Secret Service", error.description, true)
    }
  }

  /// The file name of a process's program, as the process itself states it.
  private static func program(of process: UInt32) -> String {
    do throws(SystemError) {
      let words = try FileSystem().open("/proc/\(process)/cmdline", O_RDONLY)
        .read(from: 0, count: 256)
      let name = words.prefix { $0 != 0 }.split(separator: UInt8(ascii: "/")).last ?? []
      return name.isEmpty ? "unknown program" : String(decoding: name, as: UTF8.self)
    } catch {
      // Of another user, or of a container.
      return "unknown program"
    }
  }
}

extension DesktopStore: DiagnosedStore {
  package func diagnose(recording record: (String, String, Bool) -> Void) {
    do throws(SecretStoreError) {
      let choice = try rememberedChoice()
      record("Decided for", choice?.rawValue ?? "nothing yet", false)
      switch choice {
      case .desktop: keyring.diagnose(recording: record)
      case .vault:
        for finding in Diagnosis(of: vault, withMachine: false).findings {
          record(finding.subject, finding.text, finding.isProblem)
        }
      // The vault will be used if there is no daemon.
      case nil: keyring.diagnose { subject, text, _ in record(subject, text, false) }
      }
    } catch {
      record("Decided for", error.description, true)
    }
  }
}
