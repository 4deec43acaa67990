import CipherSupport
import Dispatch
import FoundationEssentials
import SecretStorage

/// The work of one child process.
struct Job: Parameterized, Sendable {
  let file: URL
  let state: URL
  let parameters: [String]

  /// The jobs by their names; the number of rounds may be `-`, for work without end.
  static let modes: [String: @Sendable (Job, SecretVault) async throws -> Void] = [
    "accompany": { try $0.accompany($1) }, "ask": { try await $0.ask(beside: $1) },
    "authenticate": { try await $0.authenticate($1) }, "beLocked": { job, _ in try job.beLocked() },
    "compact": { try $0.compact($1) }, "count": { try $0.count($1) },
    "create": { job, _ in try job.create() },
    "descriptors": { job, _ in try job.useLibrariesWithoutDescriptors() },
    "export": { try $0.export($1) }, "hold": { job, _ in try job.hold() },
    "import": { try $0.importItems(to: $1) }, "migrate": { try $0.migrate(to: $1) },
    "passphrase": { try $0.changePassphrase(of: $1) }, "rotate": { try $0.rotate($1) },
    "settings": { job, _ in try job.migrateSettings() }, "slots": { try $0.changeSlots(of: $1) },
    "suite": { job, _ in try job.importSuite() },
    "userDefaults": { job, _ in try job.setUserDefaults() }, "write": { try $0.write($1) },
  ]

  var vault: SecretVault { vault(at: file) }

  private func vault(at file: URL) -> SecretVault {
    let vault = SecretVault(fileURL: file, stateDirectory: state, cipher: TestCipher())
    // A busy machine would reach any limit.
    vault.lockTimeout = .seconds(100_000)
    return vault
  }

  /// Calls a closure with 0, 1, 2 and so on, as often as a parameter says; `-` is without end.
  func repeating(parameter index: Int, _ body: (Int) throws -> Void) throws {
    let count = try parameter(index) == "-" ? .max : try number(index)
    for round in 0..<count { try body(round) }
  }

  /// `threads rounds prefix`: adds, changes and removes items of its own.
  private func write(_ vault: SecretVault) throws {
    let threads = try number(0)
    let prefix = try parameter(2)
    let group = DispatchGroup()
    for thread in 0..<threads {
      // A queue each, because a thread pool has only as many threads as the machine has cores.
      DispatchQueue(label: "writer").async(group: group) {
        do {
          try repeating(parameter: 1) { round in
            try Self.write(round, by: "\(prefix)-\(thread)", in: vault)
          }
        } catch {
          fatalError("A write failed: \(error)")
        }
      }
    }
    group.wait()
  }

  private static func write(_ round: Int, by writer: String, in vault: SecretVault) throws {
    let account = "\(writer)-\(round)"
    let padding = String(repeating: "x", count: round * 37 % 300)
    let first = "\(account) first \(padding)"
    let second = "\(account) second \(padding)"
    let identity = ItemIdentity.generic(service: "campaign", account: account)
    var item = try journal(account, first) {
      try vault.add(Secret(first.utf8), identity: identity, attributes: ItemAttributes())
    }
    if round % 3 != 0 {
      item = try journal(account, second) {
        try vault.update(
          item.id, expecting: item.revision, attributes: nil, secret: Secret(second.utf8))
      }
    }
    if round % 4 == 3 {
      try journal(account, "-") { try vault.remove(item.id, expecting: item.revision) }
    }
  }

  static func journal<Result>(
    _ account: String, _ value: String, _ change: () throws -> Result
  ) rethrows -> Result {
    printLine("+\t\(account)\t\(value)")
    let result = try change()
    printLine("=\t\(account)\t\(value)")
    return result
  }

  static func journalProgress(_ progress: MaintenanceProgress) -> MaintenanceProgress.Decision {
    printLine("+\tprogress\t\(progress.completed) of \(progress.total)")
    return .proceed
  }

  func value(of account: String, in vault: SecretVault) throws -> String? {
    try reading(of: account, in: vault)?.text
  }

  private func reading(
    of account: String, in vault: SecretVault
  ) throws -> (id: SecretItem.ID, revision: UInt64, text: String)? {
    let identity = ItemIdentity.generic(service: "campaign", account: account)
    guard let item = try vault.items(matching: .exactly(identity)).first,
      let reading = try vault.secret(of: item.id)
    else { return nil }
    let text = unsafe reading.secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return (item.id, reading.itemRevision, text)
  }

  /// Returns the number, or nil if another process was faster.
  private func incremented(_ vault: SecretVault) throws -> Int? {
    guard let (id, revision, text) = try reading(of: "counter", in: vault), let number = Int(text)
    else { throw Misuse() }
    do throws(SecretStoreError) {
      _ = try vault.update(
        id, expecting: revision, attributes: nil, secret: Secret("\(number + 1)".utf8))
      return number + 1
    } catch {
      if error != .conflict { throw error }
      return nil
    }
  }

  /// `stop`: increments the number in the item `counter`, by compare-and-swap, and reads it, until
  /// the file `stop` exists; prints a line for each, with times of a shared clock.
  private func count(_ vault: SecretVault) throws {
    let stop = try parameter(0)
    var round = 0
    while !FileManager.default.fileExists(atPath: stop) {
      round += 1
      let begin = DispatchTime.now().uptimeNanoseconds
      if round % 3 == 0 {
        let text = try value(of: "counter", in: vault) ?? "-"
        printLine("r\t\(begin)\t\(DispatchTime.now().uptimeNanoseconds)\t\(text)")
      } else {
        printLine("+")
        guard let number = try incremented(vault) else {
          printLine("-")
          continue
        }
        printLine("=\t\(begin)\t\(DispatchTime.now().uptimeNanoseconds)\t\(number)")
      }
    }
  }

  /// `rounds prefix`: repeatedly changes one item and compacts.
  private func compact(_ vault: SecretVault) throws {
    let account = try parameter(1)
    let identity = ItemIdentity.generic(service: "campaign", account: account)
    var item = try vault.add(Secret([]), identity: identity, attributes: ItemAttributes())
    try repeating(parameter: 0) { round in
      let value = "\(account) \(round)"
      item = try Self.journal(account, value) {
        try vault.update(
          item.id, expecting: item.revision, attributes: nil, secret: Secret(value.utf8))
      }
      try vault.compact()
    }
  }

  /// `rounds`: repeatedly makes a new vault beside the file, with one item.
  private func create() throws {
    try repeating(parameter: 0) { round in
      let name = "created-\(round)"
      let vault = vault(at: file.deletingLastPathComponent().appending(path: name))
      _ = try Self.journal(name, name) {
        try vault.add(
          Secret(name.utf8), identity: .generic(service: "campaign", account: name),
          attributes: ItemAttributes())
      }
    }
  }

  /// `rounds`: repeatedly changes the passphrase.
  private func changePassphrase(of vault: SecretVault) throws {
    try repeating(parameter: 0) { round in
      try Self.journal("passphrase", "passphrase \(round)") {
        try vault.setPassphrase(Secret("passphrase \(round)".utf8), cost: .minimum)
      }
    }
  }

  /// `rounds prefix passphrase key-file`: adds, renames and removes a slot for the key file, and
  /// changes the passphrase of the slot `person`.
  private func changeSlots(of vault: SecretVault) throws {
    let prefix = try parameter(1)
    var passphrase = try parameter(2)
    let keyFile = UnlockKey.keyFile(URL(filePath: try parameter(3)))
    guard let person = try vault.slots.first(where: { $0.name == "person" }) else { throw Misuse() }
    try repeating(parameter: 0) { round in
      let name = "\(prefix)-\(round)"
      let slot = try Self.journal(name, "added") {
        try vault.addSlot(keyFile, named: "\(name) added")
      }
      let next = "passphrase \(name)"
      try Self.journal("passphrase", next) {
        try vault.changePassphrase(
          ofSlot: person.id, from: Secret(passphrase.utf8), to: Secret(next.utf8), cost: .minimum)
      }
      passphrase = next
      try Self.journal(name, "renamed") { try vault.renameSlot(slot.id, to: "\(name) renamed") }
      try Self.journal(name, "-") { try vault.removeSlot(slot.id) }
    }
  }

  /// `rounds [passphrase]`: repeatedly rotates the keys, and logs each step.
  private func rotate(_ vault: SecretVault) throws {
    let passphrase = parameters.count > 1 ? UnlockKey.passphrase(Secret(parameters[1].utf8)) : nil
    if let passphrase { try vault.unlock(with: passphrase) }
    try repeating(parameter: 0) { round in
      try Self.journal("rotation", "\(round)") {
        try vault.rotateKeys(
          keeping: passphrase.map { [$0] } ?? [], reporting: Self.journalProgress)
      }
    }
  }
}
