// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Example",
  dependencies: [
    .package(name: "Locket", path: ".."),
    .package(path: "Programs"),
  ],
  targets: [
    .executableTarget(
      name: "Example",
      dependencies: [
        .product(name: "KeyValueStorage", package: "Locket"),
        .product(name: "PasswordRules", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
        .product(name: "SerializedAccess", package: "Locket"),
        .product(name: "Validation", package: "Locket"),
      ]),
    // The tests run the executable as a child, and read its files as an app does.
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Example",
        .product(name: "KeyValueStorage", package: "Locket"),
        .product(name: "PasswordRules", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
        .product(name: "Validation", package: "Locket"),
        "ExampleTestRun",
      ],
      exclude: ["Fixtures"]),
    // The bounds of a run of the tests, by a symbolic link. The name differs from that of Locket's
    // target, because names are unique in the graph of the packages.
    .target(name: "ExampleTestRun", path: "Tests/TestRun"),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  var settings = target.swiftSettings ?? []

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
  settings.append(.enableUpcomingFeature("ExistentialAny"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
  settings.append(.enableUpcomingFeature("MemberImportVisibility"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
  settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0470-isolated-conformances.md
  settings.append(.enableUpcomingFeature("InferIsolatedConformances"))

  // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0481-weak-let.md
  settings.append(.enableUpcomingFeature("ImmutableWeakCaptures"))

  // Only where Locket itself is worked on.
  if Context.environment["STRICT"] != nil {
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0443-warning-control-flags.md
    settings.append(.treatAllWarnings(as: .error))
    settings.append(.treatWarning("ExplicitSendable", as: .error))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    settings.append(.strictMemorySafety())
  }

  target.swiftSettings = settings
}
