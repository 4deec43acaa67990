import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport

@testable import SecretStorage

struct PAMDirectory: Sendable {
  /// Whether libpam exists and reads services from other directories than the system's.
  static var isPossible: Bool {
    do {
      return unsafe try LibPAM.shared.get().startInDirectory != nil
    } catch {
      return false
    }
  }

  /// Whether the system has one of its usual modules, which PAM finds by name.
  static func hasModule(_ name: String) -> Bool {
    ["security", "x86_64-linux-gnu/security", "aarch64-linux-gnu/security"].contains {
      FileManager.default.fileExists(atPath: "/lib/\($0)/\(name)")
        || FileManager.default.fileExists(atPath: "/lib64/\($0)/\(name)")
    }
  }

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Writes a service, and returns an authenticator for it.
  func authenticator(
    _ lines: String..., service: String = "test", user: String? = nil,
    hasFingerprintReader: Bool = false, with conversation: any AuthenticationConversation
  ) throws -> PAMAuthenticator {
    try write(lines.map { "\($0)\n" }.joined(), to: directory(service))
    return PAMAuthenticator(
      service: PAMService(name: service, directory: directory.path), user: user,
      hasFingerprintReader: hasFingerprintReader, conversation: conversation)
  }

  /// Returns a service's line that passes arguments to the tests' module.
  func module(_ arguments: [String]) throws -> String {
    guard let library = PAMModule.library else { throw Unavailable() }
    let path = directory("module.so")
    if !FileManager.default.fileExists(atPath: path) {
      try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o700).write(library, at: 0)
    }
    return "required \(path) \(arguments.map { "[\($0)]" }.joined(separator: " "))"
  }

  /// Writes a shell script, and returns the command that runs it.
  ///
  /// The file is not executed itself: a child of another test may still have it open for writing.
  func script(_ text: String) throws -> String {
    let path = directory("script")
    try write("\(text)\n", to: path)
    return "/bin/sh \(path)"
  }

  func makeFile(_ path: String) throws { try write("", to: path) }

  private func write(_ text: String, to path: String) throws {
    try FileSystem().open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600).write(
      Array(text.utf8), at: 0)
  }

  struct Unavailable: Error {}
}

extension PAMAuthenticator {
  init(
    service: PAMService, user: String? = nil, hasFingerprintReader: Bool = false,
    conversation: any AuthenticationConversation
  ) {
    self.init(
      service: service.name, user: user, hasFingerprintReader: hasFingerprintReader,
      conversation: conversation)
    self.service = service
  }
}
