// swift-tools-version: 6.2

// The programs of the Example under their own names: `swift run --package-path Example signup`.
// Without a name, `swift run` needs a single executable in the root package; with one, it also
// finds the executables of the packages that the root depends on, and builds no others of them.

import PackageDescription

let package = Package(
  name: "Programs",
  products: ["tour", "daemon", "signup"].map { .executable(name: $0, targets: ["Programs"]) },
  dependencies: [
    .package(name: "Locket", path: "../..")
  ],
  targets: [
    // The sources of the Example, by a symbolic link.
    .executableTarget(
      name: "Programs",
      dependencies: [
        .product(name: "KeyValueStorage", package: "Locket"),
        .product(name: "PasswordRules", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
        .product(name: "SerializedAccess", package: "Locket"),
        .product(name: "Validation", package: "Locket"),
      ],
      path: "Sources",
      swiftSettings: [
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
