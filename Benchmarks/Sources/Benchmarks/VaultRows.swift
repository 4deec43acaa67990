import FoundationEssentials
import Glibc
import SecretStorage
import Synchronization

let vaultRows: [Row] = [
  Row(
    name: "vault .onAccess get", subject: VaultWorkloads.get(.onAccess),
    baseline: VaultWorkloads.statAndOpen, target: .ratio(atMost: 2.5)),
  Row(
    name: "vault .onChange get", subject: VaultWorkloads.get(.onChange),
    baseline: SerializedWorkloads.get, target: .difference(atMostNanoseconds: 60)),
  Row(
    name: "vault load with a reused proof",
    subject: VaultWorkloads.load(VaultWorkloads.constrained, "with a reused proof"),
    baseline: VaultWorkloads.load(
      VaultWorkloads.thousand.password(500, refreshPolicy: .manual), "load"),
    target: .ratio(atMost: 1.2)),
  Row(
    name: "vault read with a reused proof", subject: VaultWorkloads.readWithProof,
    baseline: VaultWorkloads.readSecret(VaultWorkloads.thousand.account(500)),
    target: .ratio(atMost: 1.2)),
  Row(
    name: "vault set", subject: VaultWorkloads.set(VaultWorkloads.thousand, threads: 1),
    baseline: VaultWorkloads.append, target: .ratio(atMost: 1.3)),
  Row(
    name: "vault set", subject: VaultWorkloads.set(VaultWorkloads.thousand, threads: 1),
    baseline: SQLite.upsert()),
  Row(
    name: "vault set, 8 threads",
    subject: VaultWorkloads.set(VaultWorkloads.thousand, threads: 8),
    baseline: VaultWorkloads.set(VaultWorkloads.thousand, threads: 1),
    target: .ratio(atMost: 1.0 / 3)),
  Row(
    name: "vault set at 100,000 items",
    subject: VaultWorkloads.set(VaultWorkloads.hundredThousand, threads: 1),
    baseline: VaultWorkloads.set(VaultWorkloads.hundred, threads: 1), target: .ratio(atMost: 1.3)),
  Row(
    name: "vault open at 100,000 items", subject: VaultWorkloads.openAndFind,
    baseline: VaultWorkloads.readAndOpenEach, target: .ratio(atMost: 3)),
  Row(
    name: "vault unlock at 10,000 items", subject: UnlockingWorkloads.unlock,
    baseline: UnlockingWorkloads.stretch, target: .ratio(atMost: 1.05)),
  Row(
    name: "vault get in a new process", subject: SecretProgram.locket.getting(),
    baseline: SecretProgram.bare.getting(), target: .ratio(atMost: 1.5)),
]

/// A row of each operation for each program that keeps secrets.
let secretProgramRows = SecretProgram.peers.flatMap { peer in
  [
    Row(
      name: "vault get in a new process", subject: SecretProgram.locket.getting(),
      baseline: peer.getting()),
    Row(
      name: "vault set in a new process", subject: SecretProgram.locket.setting(),
      baseline: peer.setting()),
  ]
}

private enum UnlockingWorkloads {
  private static let passphrase = Secret("correct horse battery staple".utf8)

  private static let vault = {
    let vault = BenchmarkVault(items: 10_000)
    attempt { try vault.vault.setPassphrase(passphrase) }
    return vault
  }()

  /// Unlocks as a newly started app does.
  static let unlock = Workload(name: "unlock") { iterations in
    for _ in 0..<iterations {
      let fresh = SecretVault(fileURL: vault.file, stateDirectory: vault.directory)
      attempt { try fresh.unlock(with: .passphrase(passphrase)) }
    }
  }

  static let stretch = {
    let salt = [UInt8](repeating: 1, count: 32)
    let cipher = OpenSSLCipher()
    return Workload(name: "scrypt") { iterations in
      for _ in 0..<iterations {
        attempt { keep(try cipher.stretch(passphrase, salt: salt[...], cost: .standard)) }
      }
    }
  }()
}

private enum VaultWorkloads {
  static let hundred = BenchmarkVault(items: 100)
  // Compacted, as by the first sets, so that no row compacts it while another one is measured.
  static let thousand = BenchmarkVault(items: 1000, isCompacted: true)
  static let hundredThousand = BenchmarkVault(items: 100_000, isCompacted: true)
  static let crypto = BareCrypto()
  /// The size of a secret of 32 bytes in a record.
  static let sealed = [UInt8](repeating: 1, count: 64 + 16)

  static func get(_ policy: RefreshPolicy) -> Workload {
    let password = thousand.password(500, refreshPolicy: policy)
    return Workload(name: "\(policy)") { iterations in
      for _ in 0..<iterations { keep(password.value) }
    }
  }

  /// An item that is read after a passcode was proved.
  static let constrained = {
    let password = PasswordItem<String>(
      .generic(service: "benchmark", account: "constrained"), refreshPolicy: .manual,
      accessFlags: [.biometryAny, .or, .devicePasscode], in: thousand.vault)
    password.value = BenchmarkVault.value
    wait { try await password.save(authorizedBy: context) }
    return password
  }()

  private static let context = AuthenticationContext(
    reason: "benchmark", authenticator: WillingAuthenticator(), reuse: .seconds(24 * 3600))

  static func load(_ password: PasswordItem<String>, _ name: String) -> Workload {
    Workload(name: name) { iterations in
      wait {
        for _ in 0..<iterations { keep(try await password.load(authorizedBy: context)) }
      }
    }
  }

  static let readWithProof = {
    keep(constrained)
    return readSecret("constrained")
  }()

  /// Reads through the store itself, with an authorization from the context each time.
  static func readSecret(_ account: String) -> Workload {
    let item = attempt {
      try thousand.vault.items(
        matching: .exactly(.generic(service: "benchmark", account: account)))[0]
    }
    return Workload(name: "read") { iterations in
      wait {
        for _ in 0..<iterations {
          let authorization = try await context.authorize(
            item.attributes.accessControl, with: thousand.vault.authenticator)
          keep(try thousand.vault.secret(of: item.id, authorizedBy: authorization))
        }
      }
    }
  }

  static let statAndOpen = {
    let path = thousand.file.path
    return Workload(name: "stat, AES-256-GCM") { iterations in
      var status = stat()
      var output = sealed
      for _ in 0..<iterations {
        stat(path, &status)
        sealed.withUnsafeBufferPointer { crypto.open($0, into: &output) }
      }
      keep(output)
    }
  }()

  static func set(_ vault: BenchmarkVault, threads: Int) -> Workload {
    let passwords = (0..<threads).map { vault.password($0) }
    let started = Counter()
    return Workload(name: "set, \(vault.count) items", threads: threads) { iterations in
      // Each thread has its own item, because threads that share one cannot write at once.
      let password = passwords[started.next() % threads]
      for _ in 0..<iterations { password.value = BenchmarkVault.value }
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
  }

  /// Appends the bytes of one set to a file of the same file system.
  static let append = {
    let path = thousand.directory.appending(path: "bare").path
    let record = [UInt8](repeating: 1, count: bytesOfOneSet)
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    return Workload(name: "append, fdatasync") { iterations in
      for _ in 0..<iterations {
        lseek(file, 0, SEEK_END)
        _ = write(file, record, record.count)
        fdatasync(file)
      }
    }
  }()

  private static let bytesOfOneSet = {
    let before = hundred.fileSize
    hundred.password(0).value = BenchmarkVault.value
    return hundred.fileSize - before
  }()

  static let openAndFind = Workload(name: "open") { iterations in
    for index in 0..<iterations {
      let fresh = SecretVault(
        fileURL: hundredThousand.file, stateDirectory: hundredThousand.directory)
      let password = PasswordItem<String>(
        .generic(service: "benchmark", account: hundredThousand.account(index)), in: fresh)
      guard password.value == BenchmarkVault.value else { fatalError("An item was not found.") }
    }
  }

  /// Reads the file, and decrypts its bytes in as many parts as there are items.
  static let readAndOpenEach = {
    let path = hundredThousand.file.path
    return Workload(name: "read, AES-256-GCM each") { iterations in
      for _ in 0..<iterations {
        let file = open(path, O_RDONLY)
        var status = stat()
        fstat(file, &status)
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
          count = read(file, buffer.baseAddress!, buffer.count)
        }
        close(file)
        let size = bytes.count / hundredThousand.count
        var output = [UInt8](repeating: 0, count: size)
        bytes.withUnsafeBufferPointer { bytes in
          for index in 0..<hundredThousand.count {
            crypto.openUnderSameKey(
              UnsafeBufferPointer(rebasing: bytes[(index * size)..<((index + 1) * size)]),
              into: &output)
          }
        }
        keep(output)
      }
    }
  }()
}

/// A person who proves every requested factor.
private struct WillingAuthenticator: Authenticator {
  var capabilities: AuthenticationProofs { .any }
  var enrolledSet: [UInt8]? { nil }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    request.accepted
  }
}
