// swift-tools-version: 6.2

import PackageDescription

// An app for the 0.x adapters, after each step of the migration guide.
let package = Package(
  name: "MigratingApp",
  dependencies: [.package(name: "Locket", path: "../..")],
  targets: ["Step1", "Step2", "Step3", "Step4"].map { step in
    .executableTarget(
      name: step,
      dependencies: [
        .product(name: "KeychainCompatibility", package: "Locket"),
        .product(name: "SecretStorage", package: "Locket"),
      ])
  },
  swiftLanguageModes: [.v6]
)
