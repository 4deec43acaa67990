import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretService

/// Prompts of a daemon for changes and locks, answered in every way or not at all.
@Suite(.withDaemon, .withPython) struct SecretServicePromptTests {
  private static let identity = ItemIdentity.generic(service: "mail", account: "peter")
  private let bus: TestBus

  init() throws { bus = try TestBus(password: nil) }

  /// Starts a daemon that prompts for the named calls while its file exists.
  private func daemon(
    promptingFor members: String, answer: String = "pass", silent: String = ""
  ) throws -> FakeDaemon {
    let program = """
      def answer(member, path, body):
        if member == '\(silent)': return None
        if member == 'Prompt':
          \(answer)
        if member == 'Get' and body[1] == 'Locked': return 'v', (('b', 'Unlock' in '\(members)'),)
        if member in '\(members)' and isSwitchedOn():
          return {'CreateItem': 'oo', 'Delete': 'o'}.get(member, 'aoo'), {
            'CreateItem': ('/', PROMPT), 'Delete': (PROMPT,)}.get(member, ([], PROMPT))
        return honest(member, path, body)
      """
    return try FakeDaemon(on: bus, program)
  }

  private func add(_ secret: String, to store: SecretServiceStore) throws -> SecretItem {
    try store.add(Secret(secret.utf8), identity: Self.identity, attributes: ItemAttributes())
  }

  /// Expects that the change is reported as not made, or as uncertain where the time is over.
  private func expectNoAnswer(_ change: () throws -> Void) {
    #expect {
      try change()
    } throws: { error in
      switch error as? SecretStoreError {
      case .unavailable(let text), .uncertain(let text): text.contains("not answered in time")
      default: false
      }
    }
  }

  /// The calls that the daemon does not answer, if it answers others.
  @Test(arguments: ["", "Prompt", "Dismiss"])
  func promptOfAChangeThatIsNotAnsweredIsDismissed(_ silent: String) throws {
    let daemon = try daemon(promptingFor: "CreateItem Delete", silent: silent)
    let store = bus.store(timeLimit: .seconds(1))
    let item = try add("secret", to: store)
    try daemon.makeFile()
    let start = ContinuousClock.now
    expectNoAnswer { try store.remove(item.id, expecting: item.revision) }
    expectNoAnswer {
      _ = try store.add(
        Secret([1]), identity: .generic(service: "other"), attributes: ItemAttributes())
    }
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(try daemon.calls.count { $0 == "Dismiss" } == 2)
    try daemon.removeFile()
    #expect(try store.secret(of: item.id)?.secret == Secret("secret".utf8))
    try store.remove(item.id, expecting: item.revision)
    #expect(try store.items(matching: .all).isEmpty)
  }

  @Test func changeIsMadeWhenItsPromptIsConfirmed() throws {
    let daemon = try daemon(
      promptingFor: "CreateItem",
      answer: """
        items[COLLECTION + '/7'] = {'attributes': {}, 'secret': b'secret'}
            signal(PROMPT, 'Prompt', 'Completed', 'bv', (False, ('o', COLLECTION + '/7')))
        """)
    try daemon.makeFile()
    let item = try add("secret", to: bus.store())
    #expect(item.identity == Self.identity)
    #expect(try !daemon.calls.contains("Dismiss"))
  }

  @Test(arguments: ["CreateItem", "Lock"])
  func dismissedPromptIsDenied(_ member: String) throws {
    let daemon = try daemon(
      promptingFor: member, answer: "signal(PROMPT, 'Prompt', 'Completed', 'bv', (True, ('s', '')))"
    )
    try daemon.makeFile()
    #expect {
      if member == "Lock" { try bus.store().lock() } else { _ = try add("secret", to: bus.store()) }
    } throws: { error in
      if case .denied = error as? SecretStoreError { true } else { false }
    }
  }

  @Test(arguments: [false, true])
  func unlockingEndsInTimeOrWhenItIsCancelled(_ isCancelled: Bool) async throws {
    let daemon = try daemon(promptingFor: "Unlock")
    try daemon.makeFile()
    let store = bus.store()
    let task = Task { try await store.unlock(within: isCancelled ? .seconds(900) : .seconds(1)) }
    if isCancelled {
      try await suspend { try daemon.calls.contains("Prompt") }
      task.cancel()
    }
    await #expect(throws: isCancelled ? SecretStoreError.cancelled : .locked) {
      try await task.value
    }
    #expect(try daemon.calls.contains("Dismiss"))
  }
}
