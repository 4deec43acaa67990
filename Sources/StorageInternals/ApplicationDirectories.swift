import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Where an application keeps its files, after the XDG Base Directory Specification.
///
/// Nothing is made or looked at: these are paths.
package struct ApplicationDirectories: Sendable {
  package let applicationName: String
  private let environment: [String: String]

  /// - Parameters:
  ///   - applicationName: The directories' last component; nil for the executable's name.
  ///   - environment: The environment variables that decide.
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

  /// Where settings are.
  package var configuration: String {
    get throws(ApplicationDirectoriesError) {
      try directory(
        "XDG_CONFIG_HOME", belowHome: ".config", ofService: "CONFIGURATION_DIRECTORY")
    }
  }

  /// Where data is that a person wants to keep.
  package var data: String {
    get throws(ApplicationDirectoriesError) {
      try directory("XDG_DATA_HOME", belowHome: ".local/share", ofService: "STATE_DIRECTORY")
    }
  }

  /// Where state is that belongs to this machine and is not worth copying to another.
  package var state: String {
    get throws(ApplicationDirectoriesError) {
      try directory("XDG_STATE_HOME", belowHome: ".local/state", ofService: "STATE_DIRECTORY")
    }
  }

  /// Where systemd puts the credentials of this service, if it is one that has any.
  package static func credentials(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    path(in: "CREDENTIALS_DIRECTORY", of: environment)
  }

  private func directory(
    _ variable: String, belowHome: String, ofService serviceVariable: String
  ) throws(ApplicationDirectoriesError) -> String {
    if let base = path(in: variable) { return "\(base)/\(applicationName)" }
    if let home { return "\(home)/\(belowHome)/\(applicationName)" }
    // systemd has made this one for the service alone, so the name is not added.
    if let directory = path(in: serviceVariable) { return directory }
    throw .noDirectory(
      variables: [variable, "HOME", serviceVariable], home: environment["HOME"])
  }

  /// The home directory, unless it is one of those given to users that have none.
  private var home: String? {
    guard let home = path(in: "HOME"), home != "/", home != "/nonexistent" else { return nil }
    return home
  }

  private func path(in variable: String) -> String? {
    Self.path(in: variable, of: environment)
  }

  /// The absolute path in a variable, without a slash at its end.
  ///
  /// The specification has relative ones ignored; systemd separates several by colons.
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
      // The link, not the first argument: that one is whatever the caller of `exec` wrote.
      return name(ofExecutable: try FileSystem().linkTarget(of: "/proc/self/exe"))
    } catch {
      // There is no /proc in some containers.
      return name(ofExecutable: CommandLine.arguments.first ?? "")
    }
  }

  package static func name(ofExecutable path: String) -> String {
    // The kernel's mark on an executable that was replaced while it runs, as by an upgrade.
    let mark = " (deleted)"
    let name = path.lastComponent
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }
}

/// Why an application's directories are not known.
package enum ApplicationDirectoriesError: Error, Hashable, Sendable {
  /// The name is empty, `.` or `..`, or has a slash or a zero byte in it.
  case invalidApplicationName(String)

  /// None of the environment variables that could say it holds an absolute path, and `HOME` has
  /// none that is one person's.
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
      "HOME is \(String(reflecting: home)), which is no absolute path"
    case let home? where home.utf8.allSatisfy { $0 == UInt8(ascii: "/") }:
      "the home directory is /, which belongs to the whole system"
    case let home?:
      "the home directory \(home) does not exist and is not made, for users without one have it"
    }
  }
}
