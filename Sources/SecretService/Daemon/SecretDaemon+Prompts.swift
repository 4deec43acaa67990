import Concurrency

/// A prompt of the daemon that has not ended.
struct AwaitedPrompt {
  let path: String
  /// The unique name of the daemon, which alone can complete the prompt.
  let owner: String
  private var completion: BusMessage?

  init(path: String, owner: String) {
    self.path = path
    self.owner = owner
  }

  mutating func receive(_ signal: BusConnection.Signal) {
    if signal.member == "Completed", signal.path == path, signal.sender == owner {
      completion = signal.message
    }
  }

  /// The outcome; nil if there is none yet.
  func outcome() throws(BusFailure) -> SecretDaemon.PromptOutcome? {
    guard let completion else { return nil }
    if try completion.result(Bool.self) { return .dismissed }
    do throws(BusFailure) {
      return .completed(try completion.variant(BusPath.self).value)
    } catch {
      // The result of Unlock is an array of paths, which are known.
      return .completed(nil)
    }
  }
}

extension SecretDaemon {
  enum PromptOutcome {
    /// The object that the prompt was about, if the daemon names one.
    case completed(String?)
    case dismissed
    /// The time was over, or the task was cancelled.
    case timedOut
  }

  /// The name of the error of a request that the user, or the lack of a display, has dismissed.
  static let dismissed = "dismissed"

  /// Completes the prompt of a change, and returns the object that it was about.
  func confirm(prompt: BusPath) throws(BusFailure) -> String? {
    switch try complete(prompt: prompt) {
    case .completed(let object): return object
    case .dismissed: throw .refused(name: Self.dismissed, message: "the request")
    case .timedOut: throw .noReply("its prompt was not answered in time, and was dismissed")
    }
  }

  /// Runs a prompt of the daemon until the deadline, and dismisses it then.
  func complete(
    prompt: BusPath, isCancelled: @Sendable () -> Bool = { false }
  ) throws(BusFailure) -> PromptOutcome {
    let path = prompt.value
    if path == "/" { return .completed(nil) }
    awaitedPrompt = AwaitedPrompt(path: path, owner: try owner())
    defer { awaitedPrompt = nil }
    do throws(BusFailure) {
      _ = try call(path, "Prompt", "Prompt", "")
    } catch {
      // A prompt whose begin was not acknowledged may be shown all the same.
      guard case .noReply = error else { throw error }
    }
    while true {
      receiveSignals()
      if let outcome = try awaitedPrompt?.outcome() { return outcome }
      if awaitedPrompt == nil || isLost {
        throw .noReply("the daemon ended while it was asking the user")
      }
      if deadline.hasPassed || isCancelled() {
        dismiss(path)
        receiveSignals()
        // The user may have answered at the last moment.
        guard case .completed(let object)? = try awaitedPrompt?.outcome() else { return .timedOut }
        return .completed(object)
      }
      connection.wait(until: Deadline(after: min(deadline.duration, .milliseconds(100))))
    }
  }

  private func dismiss(_ prompt: String) {
    let last = deadline
    deadline = Deadline(after: .seconds(1))
    defer { deadline = last }
    do throws(BusFailure) {
      _ = try call(prompt, "Prompt", "Dismiss")
    } catch {
      // The daemon was asked, even if it does not answer.
    }
  }
}
