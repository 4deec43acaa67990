import CLibrary
import SecretStorage

/// Reads secrets from the terminal, files and pipes, without a copy outside of protected memory.
enum SecretInput {
  /// The maximum size of a secret in a store, in bytes.
  private static let limit = 16 * 1024 * 1024

  static var isStandardInputATerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Prompts for a line without echo; throws a `Failure` with the advice if there is no terminal.
  static func ask(_ prompt: String, withoutTerminal advice: String) async throws -> Secret {
    do throws(SecretStoreError) {
      return try await TerminalConversation().ask(.hidden(prompt))
    } catch .cancelled {
      throw Failure("The input was empty. Nothing was changed.")
    } catch .unavailable {
      throw Failure(advice)
    } catch {
      throw error
    }
  }

  /// Prompts for a new secret twice, because a typing error would not be visible.
  static func askTwice(_ prompt: String, withoutTerminal advice: String) async throws -> Secret {
    let first = try await ask(prompt, withoutTerminal: advice)
    if first.count == 0 { throw Failure("The input was empty. Nothing was changed.") }
    if try await ask("Repeat it: ", withoutTerminal: advice) != first {
      throw Failure("The two entries differ. Nothing was changed; try again.")
    }
    return first
  }

  /// Returns the content of standard input, without one line end unless `isBinary`.
  static func standardInput(isBinary: Bool = false) throws(Failure) -> Secret {
    try read(STDIN_FILENO, named: "standard input", isBinary: isBinary)
  }

  /// Returns the content of a file or pipe, without one line end.
  static func file(_ path: String) throws(Failure) -> Secret {
    // The path is copied by the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be opened: \(SystemCall.reason).") }
    defer { close(descriptor) }
    return try read(descriptor, named: path)
  }

  private static func read(
    _ descriptor: Int32, named name: String, isBinary: Bool = false
  ) throws(Failure) -> Secret {
    var content = Secret([])
    var capacity = 4096
    while true {
      var filled = content.count
      let read = content
      content = unsafe try Secret(count: capacity) { buffer throws(Failure) in
        // The buffer is used only inside the closure.
        let target = UnsafeMutableRawBufferPointer(buffer)
        unsafe read.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...])
        guard let count = unsafe readFully(descriptor, into: rest) else {
          throw Failure("\(name) cannot be read: \(SystemCall.reason).")
        }
        filled += count
      }
      if filled < capacity { return content.prefix(filled, withLineEnd: isBinary) }
      if capacity > limit { throw Failure("\(name) is larger than 16 MiB.") }
      capacity *= 2
    }
  }
}

/// Calls `read` of the C library, which is hidden inside types with a method of that name.
func readBytes(_ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
  unsafe read(descriptor, start, count)
}

extension Secret {
  /// Returns the first bytes, with or without one line end, LF or CR LF, at their end.
  fileprivate func prefix(_ count: Int, withLineEnd: Bool) -> Secret {
    // The bytes are copied inside the closure.
    unsafe withUnsafeBytes { bytes in
      var end = count
      if !withLineEnd, unsafe end > 0 && bytes[end - 1] == UInt8(ascii: "\n") {
        end -= 1
        if unsafe end > 0 && bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      }
      return unsafe Secret(bytes.prefix(end))
    }
  }

  /// The secret as text, in unprotected memory; nil if it is not UTF-8.
  var text: String? {
    // The bytes are copied inside the closure.
    unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
  }
}
