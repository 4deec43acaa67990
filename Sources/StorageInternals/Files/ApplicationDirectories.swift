import CLibrary
import FoundationEssentials

/// The paths of an application's directories, according to the XDG Base Directory Specification.
package struct ApplicationDirectories: Sendable {
  package let applicationName: String
  private let environment: [String: String]

  package init(
    applicationName: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Unavailable) {
    let name = applicationName ?? Self.executableName
    guard !["", ".", ".."].contains(name), !name.utf8.contains(UInt8(ascii: "/")),
      name.refusalCode == nil
    else {
      throw Unavailable(
        """
        \(String(reflecting: name)) cannot be the name of a directory. \
        Give the application a name in UTF-8 without slashes.
        """)
    }
    self.applicationName = name
    self.environment = environment
  }

  package var configuration: String {
    get throws(Unavailable) {
      try directory("XDG_CONFIG_HOME", inHome: ".config", ofService: "CONFIGURATION_DIRECTORY")
    }
  }

  package var data: String {
    get throws(Unavailable) {
      try directory("XDG_DATA_HOME", inHome: ".local/share", ofService: "STATE_DIRECTORY")
    }
  }

  /// The directory for the state of this machine, which should not be copied to others.
  package var state: String {
    get throws(Unavailable) {
      try directory("XDG_STATE_HOME", inHome: ".local/state", ofService: "STATE_DIRECTORY")
    }
  }

  /// Returns the directory of the credentials that systemd passes to this service; nil if none.
  package static func credentials(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    path(in: "CREDENTIALS_DIRECTORY", of: environment)
  }

  private func directory(
    _ variable: String, inHome subdirectory: String, ofService serviceVariable: String
  ) throws(Unavailable) -> String {
    if let base = Self.path(in: variable, of: environment) { return "\(base)/\(applicationName)" }
    // A user without a home directory has one of these placeholders.
    if let home = Self.path(in: "HOME", of: environment), home != "/", home != "/nonexistent" {
      return "\(home)/\(subdirectory)/\(applicationName)"
    }
    // systemd creates this directory for the service, so the application's name is not appended.
    if let directory = Self.path(in: serviceVariable, of: environment) { return directory }
    let value = environment["HOME"].map { String(reflecting: $0) } ?? "not set"
    throw Unavailable(
      """
      There is no directory for the application's files, nor a home directory: HOME is \(value). \
      Set one of \(variable), HOME, \(serviceVariable) to an absolute path.
      """)
  }

  /// Returns the absolute path in a variable, or the first of several, without trailing slashes.
  private static func path(in variable: String, of environment: [String: String]) -> String? {
    guard let value = environment[variable], value.utf8.first == UInt8(ascii: "/"),
      !value.utf8.contains(0)
    else { return nil }
    var path = Substring(value)
    if variable.hasSuffix("_DIRECTORY"), let colon = path.utf8.firstIndex(of: UInt8(ascii: ":")) {
      path = path[..<colon]
    }
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
      path.unicodeScalars.removeLast()
    }
    return String(path)
  }

  private static var executableName: String {
    // The first argument is not reliable, because the caller of `exec` chooses it, but some
    // containers do not have /proc.
    let link = try? FileSystem().linkTarget(of: "/proc/self/exe")
    return name(ofExecutable: link ?? CommandLine.arguments.first ?? "")
  }

  package static func name(ofExecutable path: String) -> String {
    // The kernel adds this suffix if a running executable was replaced, for example by an upgrade.
    let suffix = " (deleted)"
    let name = path.lastComponent
    return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
  }
}
