// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Locket",
  products: [
    .library(name: "SerializedAccess", targets: ["SerializedAccess"]),
    .library(name: "KeyValueStorage", targets: ["KeyValueStorage"]),
    .library(name: "SecretStorage", targets: ["SecretStorage"]),
    .library(name: "StorageTesting", targets: ["StorageTesting"]),
    .library(name: "SecretMigration", targets: ["SecretMigration"]),
    .library(name: "PasswordRules", targets: ["PasswordRules"]),
    .library(name: "Validation", targets: ["Validation"]),
    .library(name: "KeychainCompatibility", targets: ["KeychainCompatibility"]),
    .executable(name: "locket", targets: ["locket"]),
  ],
  targets: [
    .target(name: "CLibrary"),
    .target(name: "Concurrency", dependencies: ["CLibrary"]),
    .target(name: "SerializedAccess", dependencies: ["CLibrary", "Concurrency"]),
    .target(name: "StorageInternals", dependencies: ["CLibrary", "Concurrency"]),
    .target(name: "ValueFormats", dependencies: ["CLibrary", "StorageInternals"]),
    .target(
      name: "KeyValueStorage",
      dependencies: ["CLibrary", "Concurrency", "StorageInternals", "ValueFormats"]),
    .target(
      name: "SecretStorage",
      dependencies: ["CLibrary", "Concurrency", "StorageInternals", "ValueFormats"]),
    .target(
      name: "StorageTesting",
      dependencies: ["Concurrency", "SecretStorage"]),
    .target(
      name: "SecretMigration",
      dependencies: [
        "CLibrary", "Concurrency", "SecretStorage", "StorageInternals", "ValueFormats",
      ]),
    .target(name: "PasswordRules"),
    .target(
      name: "Validation",
      dependencies: ["CLibrary", "Concurrency", "PasswordRules", "SerializedAccess"]),
    .target(
      name: "KeychainCompatibility",
      dependencies: [
        "CLibrary", "Concurrency", "SerializedAccess", "KeyValueStorage", "SecretStorage",
        "StorageInternals",
        "ValueFormats",
      ]),
    // The command line, which no app that depends on the package builds.
    .executableTarget(
      name: "locket",
      dependencies: [
        "CLibrary", "SerializedAccess", "KeyValueStorage", "SecretStorage", "SecretMigration",
        "PasswordRules",
        "KeychainCompatibility", "ValueFormats",
      ]),

    .testTarget(
      name: "SerializedAccessTests", dependencies: ["CLibrary", "SerializedAccess", "TestSupport"]),
    .testTarget(
      name: "ConcurrencyTests", dependencies: ["CLibrary", "Concurrency", "TestSupport"]),
    .testTarget(
      name: "StorageInternalsTests",
      dependencies: ["CLibrary", "Concurrency", "StorageInternals", "TestSupport"]),
    .testTarget(
      name: "ValueFormatsTests",
      dependencies: ["ValueFormats", "KeyValueStorage", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeyValueStorageTests",
      dependencies: [
        "CLibrary", "Concurrency", "KeyValueStorage", "StorageInternals", "SettingsProcess",
        "TestSupport",
        "ValueFormats",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "SecretStorageTests",
      dependencies: [
        "CLibrary", "Concurrency", "SecretStorage", "StorageTesting",
        "CipherSupport", "StorageInternals", "TestSupport", "VaultProcess",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "StorageTestingTests",
      dependencies: ["SecretStorage", "StorageTesting", "TestSupport"]),
    .testTarget(
      name: "SecretMigrationTests",
      dependencies: [
        "CLibrary", "Concurrency", "SecretMigration", "SecretStorage", "StorageInternals",
        "TestSupport", "VaultProcess",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "PasswordRulesTests", dependencies: ["PasswordRules", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "ValidationTests",
      dependencies: [
        "Concurrency", "Validation", "PasswordRules", "StorageInternals", "TestSupport",
      ],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "KeychainCompatibilityTests",
      dependencies: [
        "CLibrary", "Concurrency", "KeychainCompatibility", "SerializedAccess", "KeyValueStorage",
        "SecretStorage", "StorageInternals", "TestSupport", "VaultProcess",
      ]),
    .testTarget(
      name: "LocketCommandTests",
      dependencies: [
        "CLibrary", "locket", "KeyValueStorage", "PasswordRules", "SecretStorage",
        "StorageInternals",
        "TestSupport", "ValueFormats",
      ],
      path: "Tests/locketTests", exclude: ["Fixtures"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CLibrary", "SerializedAccess", "KeyValueStorage", "SecretStorage", "StorageTesting",
        "SecretMigration", "PasswordRules", "Validation", "KeychainCompatibility", "TestSupport",
        "CipherSupport", "ShapesProcess",
      ],
      exclude: ["Support/VaultReader"]),
    // What the tests of several targets use.
    .target(
      name: "TestSupport",
      dependencies: [
        "CLibrary", "Concurrency", "KeyValueStorage", "SecretStorage", "StorageInternals",
        "TestRun",
      ],
      path: "Tests/Support"),
    .target(name: "TestRun", path: "Tests/TestRun"),
    // The child processes of the tests that need a second one.
    .executableTarget(
      name: "SettingsProcess", dependencies: ["CLibrary", "Concurrency", "KeyValueStorage"],
      path: "Tests/Processes/SettingsProcess"),
    .executableTarget(
      name: "VaultProcess",
      dependencies: [
        "CipherSupport", "CLibrary", "Concurrency", "KeychainCompatibility", "KeyValueStorage",
        "SecretMigration", "SecretStorage", "StorageInternals",
      ],
      path: "Tests/Processes/VaultProcess"),
    // An app's top-level code and default isolation, which no test target can have.
    .executableTarget(
      name: "ShapesProcess", dependencies: ["KeyValueStorage", "SerializedAccess"],
      path: "Tests/Processes/ShapesProcess",
      // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0466-control-default-actor-isolation.md
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    // Apart from TestSupport, whose import of Testing the child processes need not load.
    .target(
      name: "CipherSupport", dependencies: ["SecretStorage"], path: "Tests/CipherSupport"),
  ],
  swiftLanguageModes: [.v6]
)

// Kills at random moments, unlocked editors and the like, which are built only when asked for.
if Context.environment["LOCKET_CAMPAIGN"] == nil {
  for target in package.targets
  where ["KeyValueStorageTests", "SecretStorageTests", "SecretMigrationTests"]
    .contains(target.name)
  {
    target.exclude.append("Campaigns")
  }
}

// Only some suites, with all or these sources: those in which threads meet, for the thread
// sanitizer, and those of what only an optimizer could break.
let chosenSuites: [String: [String: [String]?]] = [
  "concurrency": [
    "ConcurrencyTests": nil,
    "SerializedAccessTests": nil,
    "KeyValueStorageTests": [
      "Support", "StoredValueTests.swift", "Stores/CrowdedSavesTests.swift",
      "Stores/ObservationTests.swift",
      "Stores/StoreThreadsTests.swift", "Stores/TransactionTests.swift",
      "Stores/WritePolicyTests.swift", "Files/FileBackendSharingTests.swift",
    ],
    "SecretStorageTests": [
      "Support", "Authentication/AuthenticationContextTests.swift", "Forger/Field.swift",
      "Forger/FieldReader.swift", "Forger/ForgedFile.swift", "Forger/MeasuredCipher.swift",
      "Passwords/PasswordConcurrencyTests.swift", "Passwords/PasswordLockingTests.swift",
      "Passwords/PasswordObserverTests.swift", "Stores/DefaultStoreTests.swift",
      "Vault/Keys/DerivationCancellationTests.swift",
      "Vault/Rotation/VaultRotationSharingTests.swift",
      "Vault/Writing/VaultCompactionBesideWritersTests.swift",
      "Vault/Writing/VaultPowerFailureTests.swift", "Vault/VaultObservingTests.swift",
      "Vault/VaultUnlockingTests.swift",
    ],
    "ValidationTests": ["Support", "Asynchronous", "Fields", "Forms"],
  ],
  "optimizer": [
    "ConcurrencyTests": ["ObserversTests.swift"],
    "SerializedAccessTests": ["ObservationTests.swift", "WrappedValueTests.swift"],
  ],
]
if let name = Context.environment["SUITES"] {
  guard let suites = chosenSuites[name] else { fatalError("SUITES: no suites are named \(name)") }
  package.products.removeAll { $0.name == "locket" }
  package.targets.removeAll {
    $0.name == "locket" || $0.type == .test && suites[$0.name] == nil
  }
  for target in package.targets {
    if let sources = suites[target.name] { target.sources = sources }
  }
}

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

  // Only where Locket itself is worked on: a dependent app must inherit none of this.
  if Context.environment["STRICT"] != nil {
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0443-warning-control-flags.md
    settings.append(.treatAllWarnings(as: .error))
    settings.append(.treatWarning("ExplicitSendable", as: .error))

    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0458-strict-memory-safety.md
    settings.append(.strictMemorySafety())
  }

  target.swiftSettings = settings
}
