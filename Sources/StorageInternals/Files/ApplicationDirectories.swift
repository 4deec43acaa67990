import CLibrary
import FoundationEssentials

/// The directories of an application's files, after the XDG Base Directory Specification.
///
/// The properties compute paths; they neither create nor read a directory.
package struct ApplicationDirectories: Sendable {
  package let applicationName: String
  private let environment: [String: String]

  /// - Parameters:
  ///   - applicationName: The directories' last component; nil for the executable's name.
  ///   - environment: The environment variables that name the directories.
  /// - Throws: ``ApplicationDirectoriesError/invalidApplicationName(_:)`` when the name cannot be
  ///   one component of a path.
  package init(
    applicationName: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ApplicationDirectoriesError) {
    let name = applicationName ?? Self.executableName
    guard !["", ".", ".."].contains(name), !name.utf8.contains(UInt8(ascii: "/")),
      !name.utf8.contains(0)
    else { throw .invalidApplicationName(name) }
    self.applicationName = name
    self.environment = environment
  }

  /// The directory of the settings.
  package var configuration: String {
    get throws(ApplicationDirectoriesError) {
      try directory(
        "XDG_CONFIG_HOME", belowHome: ".config", ofService: "CONFIGURATION_DIRECTORY")
    }
  }

  /// The directory of data that a user wants to keep.
  package var data: String {
    get throws(ApplicationDirectoriesError) {
      try directory("XDG_DATA_HOME", belowHome: ".local/share", ofService: "STATE_DIRECTORY")
    }
  }

  /// The directory of state that belongs to this machine and is not worth copying to another.
  package var state: String {
    get throws(ApplicationDirectoriesError) {
      try directory("XDG_STATE_HOME", belowHome: ".local/state", ofService: "STATE_DIRECTORY")
    }
  }

  /// The directory in which systemd puts this service's credentials; nil if it has none.
  package static func credentials(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    path(in: "CREDENTIALS_DIRECTORY", of: environment)
  }

  private func directory(
    _ variable: String, belowHome: String, ofService serviceVariable: String
  ) throws(ApplicationDirectoriesError) -> String {
    if let base = Self.path(in: variable, of: environment) { return "\(base)/\(applicationName)" }
    if let home { return "\(home)/\(belowHome)/\(applicationName)" }
    // systemd creates this directory for the service alone, so the name is not appended.
    if let directory = Self.path(in: serviceVariable, of: environment) { return directory }
    throw .noDirectory(
      variables: [variable, "HOME", serviceVariable], home: environment["HOME"])
  }

  /// The home directory; nil for the placeholders of users without a home.
  private var home: String? {
    guard let home = Self.path(in: "HOME", of: environment), home != "/", home != "/nonexistent"
    else { return nil }
    return home
  }

  /// Returns the absolute path in a variable, without a trailing slash.
  ///
  /// The specification says to ignore relative paths; systemd separates several paths by colons.
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
    do {
      // The link, not the first argument, which the caller of `exec` can choose freely.
      return name(ofExecutable: try FileSystem().linkTarget(of: "/proc/self/exe"))
    } catch {
      // Some containers have no /proc.
      return name(ofExecutable: CommandLine.arguments.first ?? "")
    }
  }

  package static func name(ofExecutable path: String) -> String {
    // The kernel's suffix for an executable that was replaced while running, as by an upgrade.
    let mark = " (deleted)"
    let name = path.lastComponent
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }
}

/// The reason why an application's directories are unknown.
package enum ApplicationDirectoriesError: Error, Hashable, Sendable {
  /// The name is empty, `.` or `..`, or contains a slash or a zero byte.
  case invalidApplicationName(String)

  /// None of the environment variables holds an absolute path, and `HOME` is not the home of a
  /// single user.
  case noDirectory(variables: [String], home: String?)
}

extension ApplicationDirectoriesError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidApplicationName(let name):
      return """
        \(String(reflecting: name)) cannot be the name of a directory. \
        Give the application a name without slashes.
        """
    case .noDirectory(let variables, let home):
      return """
        There is no directory for the application's files: \(Self.reason(home)). \
        Set one of \(variables.joined(separator: ", ")) to an absolute path.
        """
    }
  }

  private static func reason(_ home: String?) -> String {
    switch home {
    case nil, "": "HOME is not set"
    case let home? where home.utf8.first != UInt8(ascii: "/") || home.utf8.contains(0):
      "HOME is \(String(reflecting: home)), which is not an absolute path"
    case let home? where home.utf8.allSatisfy { $0 == UInt8(ascii: "/") }:
      "the home directory is /, which belongs to the whole system"
    case let home?:
      "the home directory \(home) does not exist and is not created, as it stands for none"
    }
  }
}
