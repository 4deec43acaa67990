import StorageInternals
import Testing

@Suite struct ApplicationDirectoriesTests {
  private func directories(_ environment: [String: String]) throws -> ApplicationDirectories {
    try ApplicationDirectories(applicationName: "app", environment: environment)
  }

  @Test func xdgVariablesTakePrecedence() throws {
    let directories = try directories([
      "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "/", "HOME": "/home/me",
      "STATE_DIRECTORY": "/var/lib/s", "CONFIGURATION_DIRECTORY": "/etc/s",
    ])
    #expect(try directories.configuration == "/c/app")
    #expect(try directories.data == "/d/app")
    #expect(try directories.state == "//app")
  }

  @Test(arguments: [nil, "", "relative", "./c", "a\0b"])
  func defaultsAreBelowHome(ignored: String?) throws {
    var environment = ["HOME": "/home/me", "STATE_DIRECTORY": "/var/lib/s"]
    environment["XDG_CONFIG_HOME"] = ignored
    environment["XDG_DATA_HOME"] = ignored
    environment["XDG_STATE_HOME"] = ignored
    let directories = try directories(environment)
    #expect(try directories.configuration == "/home/me/.config/app")
    #expect(try directories.data == "/home/me/.local/share/app")
    #expect(try directories.state == "/home/me/.local/state/app")
  }

  @Test(arguments: [nil, "", "/", "relative", "/nonexistent"])
  func serviceWithoutHomeUsesItsOwnDirectories(home: String?) throws {
    var environment = [
      "STATE_DIRECTORY": "/var/lib/s:/var/lib/t", "CONFIGURATION_DIRECTORY": "/etc/s",
      "CREDENTIALS_DIRECTORY": "/run/credentials/s",
    ]
    environment["HOME"] = home
    let directories = try directories(environment)
    #expect(try directories.configuration == "/etc/s")
    #expect(try directories.data == "/var/lib/s")
    #expect(try directories.state == "/var/lib/s")
    #expect(ApplicationDirectories.credentials(environment: environment) == "/run/credentials/s")
  }

  @Test func missingDirectoryErrorNamesVariables() throws {
    let directories = try directories([:])
    #expect(ApplicationDirectories.credentials(environment: [:]) == nil)
    func expectError(_ names: String, _ body: () throws -> String) {
      let error = #expect(throws: Unavailable.self) { try body() }
      #expect(error?.description.contains(". Set one of \(names) to an") == true)
    }
    expectError("XDG_CONFIG_HOME, HOME, CONFIGURATION_DIRECTORY") { try directories.configuration }
    expectError("XDG_STATE_HOME, HOME, STATE_DIRECTORY") { try directories.state }
    expectError("XDG_DATA_HOME, HOME, STATE_DIRECTORY") { try directories.data }
  }

  @Test(arguments: [nil, "", "here", "/", "//", "/nonexistent", "/nonexistent/"])
  func errorNamesTheHomeDirectory(home: String?) throws {
    let directories = try directories(["HOME": home].compactMapValues(\.self))
    let error = #expect(throws: Unavailable.self) { try directories.configuration }
    let name = home.map { String(reflecting: $0) } ?? "not set"
    #expect(error?.description.contains(": HOME is \(name)") == true)
  }

  @Test(arguments: ["", ".", "..", "a/b", "/", "a\0b", "/\u{301}", "a\u{FFFD}"])
  func nameMustBeAPathComponent(name: String) {
    let error = #expect(throws: Unavailable.self) {
      try ApplicationDirectories(applicationName: name, environment: [:])
    }
    #expect(error?.description.hasPrefix("\(String(reflecting: name)) cannot be") == true)
  }

  @Test func defaultNameIsThatOfTheExecutable() throws {
    let executable = try FileSystem().linkTarget(of: "/proc/self/exe")
    let name = try ApplicationDirectories(environment: [:]).applicationName
    #expect(name == executable.lastComponent)
    #expect(!name.isEmpty)
    // The kernel's name of an executable that was replaced.
    for path in ["/usr/bin/app", "/usr/bin/app (deleted)", "app"] {
      #expect(ApplicationDirectories.name(ofExecutable: path) == "app")
    }
  }
}
