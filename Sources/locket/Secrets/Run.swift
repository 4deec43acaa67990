import CLibrary
import FoundationEssentials
import SecretStorage
import Synchronization

extension Option {
  fileprivate static let variable = Option(
    "env", "NAME=SERVICE/ACCOUNT", "set a variable of the command to a secret; repeatable",
    isRepeatable: true)
}

extension Command {
  static let runProgram = Command(
    name: "run",
    rest: Parameter("COMMAND", "the command to run, with its arguments"),
    summary: "Runs a command with secrets in its environment.",
    options: [.variable, .itemPasswordFile] + Option.openStore,
    notes: """
      NAME=SERVICE is enough for the only secret of a service. The server of an internet password is
      given like a service.

      The command takes the place of this program, with its process, standard input and signals. The
      secrets are in no file and in no argument. But the processes that the command starts inherit its
      environment, which other programs of the same user can read.

      The exit status is that of the command. It is 125 if a secret is missing or cannot be read, 126 if
      the command cannot be executed, and 127 if it was not found.
      """,
    excessArgument: "Write `--` before the command to run.",
    failureStatus: .notRun
  ) { arguments in
    let variables = try arguments.variables()
    if variables.isEmpty {
      throw UsageError("Specify a secret with \(Option.variable.synopsis).")
    }
    let store = try await arguments.openedStore()
    // All are read before the first one leaves protected memory.
    var values: [(name: String, value: Secret)] = []
    for (name, reference) in variables {
      let item = try store.item(referredToBy: reference, for: name)
      let context = try await arguments.context(for: item.attributes.accessControl.flags)
      let password = PasswordItem<Data>(
        item.identity, match: .exact, refreshPolicy: .manual, in: store)
      guard let secret = try await password.load(authorizedBy: context) else {
        throw Failure("The secret for \(name) was removed meanwhile.")
      }
      values.append((name, Secret(secret)))
    }
    for (name, value) in values { try setVariable(name, to: value) }
    return execute(arguments.rest)
  }

  /// The limit of Linux for one variable or argument, in bytes: MAX_ARG_STRLEN.
  private static let variableLimit = 128 * 1024

  private static func setVariable(_ name: String, to value: Secret) throws(Failure) {
    let count = name.utf8.count + value.count + 2
    if count > variableLimit {
      throw Failure("The secret for \(name) is too large for a variable, which has 128 KiB.")
    }
    // The bytes are those of the secret, and then a zero.
    let terminated = unsafe value.withUnsafeBytes { bytes in
      unsafe bytes.contains(0) ? nil : unsafe Secret(Array(bytes) + [0])
    }
    guard let terminated else {
      throw Failure(
        """
        The secret for \(name) contains a zero byte, which a variable cannot. It may be a number or \
        other data of an app.
        """)
    }
    // The function copies both strings, which end with a zero.
    let result = unsafe terminated.withUnsafeBytes { bytes in
      unsafe setenv(name, bytes.bindMemory(to: CChar.self).baseAddress!, 1)
    }
    if result != 0 { throw Failure("\(name) cannot be set: \(SystemCall.reason).") }
  }

  /// Replaces this program with another one; returns if that is not possible.
  private static func execute(_ words: [String]) -> ExitStatus {
    SignalMask.initial.restore()
    // The kernel copies the words, which are not freed because the process ends in any case.
    let pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    _ = unsafe execvp(pointers[0]!, pointers)
    let isMissing = errno == ENOENT
    let advice = isMissing ? " Check its name and PATH." : ""
    Program.report("The command cannot be run: \(SystemCall.reason).\(advice)")
    return isMissing ? .notFound : .notExecutable
  }
}

extension Arguments {
  /// Returns the names of variables, each with the reference to its secret.
  ///
  /// Errors do not repeat the text, because it may contain a secret by mistake.
  fileprivate func variables() throws(UsageError) -> [(name: String, reference: String)] {
    var variables: [(name: String, reference: String)] = []
    for text in all(.variable) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard parts.count == 2, !parts[1].isEmpty, name.isVariable else {
        throw UsageError(
          "\(Option.variable.flag) needs \(Option.variable.placeholder!), with a NAME of letters, digits and _."
        )
      }
      if variables.contains(where: { $0.name == name }) {
        throw UsageError("\(Option.variable.flag) was given twice for the same NAME.")
      }
      variables.append((name, String(parts[1])))
    }
    return variables
  }
}

extension String {
  /// Whether a shell accepts the text as the name of a variable.
  fileprivate var isVariable: Bool {
    guard let first = unicodeScalars.first, !("0"..."9").contains(first) else { return false }
    return unicodeScalars.allSatisfy { scalar in
      scalar == "_"
        || scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
    }
  }
}

extension SecretStore {
  /// Returns the item of a service and account, or the only one of a service.
  ///
  /// Both may contain slashes, so the reference is compared as a whole.
  fileprivate func item(referredToBy reference: String, for variable: String) throws -> SecretItem {
    let items = try items(matching: .all).map { item in
      (item, service: item.identity.service ?? item.identity.server ?? "")
    }
    var found = items.filter { item, service in
      (item.identity.account.map { "\(service)/\($0)" } ?? service) == reference
    }
    if found.isEmpty { found = items.filter { $0.service == reference } }
    if found.count == 1 { return found[0].0 }
    throw Failure(
      found.isEmpty
        ? """
        There is no secret for \(variable). `locket secrets list` shows the secrets, and `locket \
        secrets set` adds one.
        """
        : """
        \(found.count) secrets match the one for \(variable); `locket secrets list` shows them. \
        Specify SERVICE/ACCOUNT.
        """)
  }
}

/// The signals that were blocked when the program was started.
///
/// The threads of Swift's tasks block signals, and a program that is executed inherits the mask.
final class SignalMask: Sendable {
  static let initial = SignalMask()

  private let mask = Mutex(sigset_t())

  func save() {
    // Both calls only use the set, which is kept by the lock.
    mask.withLock { _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &$0) }
  }

  func restore() {
    mask.withLock { _ = unsafe pthread_sigmask(SIG_SETMASK, &$0, nil) }
  }
}
