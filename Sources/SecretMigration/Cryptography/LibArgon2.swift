import StorageInternals

/// libargon2, the reference implementation of Argon2.
///
/// `@unchecked`: the function pointer is a constant.
@safe struct LibArgon2: @unchecked Sendable {
  // int argon2id_hash_raw(const uint32_t t_cost, const uint32_t m_cost, const uint32_t parallelism,
  //   const void *pwd, const size_t pwdlen, const void *salt, const size_t saltlen, void *hash,
  //   const size_t hashlen);
  private let hash:
    @convention(c) (
      UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int,
      UnsafeMutableRawPointer?, Int
    ) -> Int32

  init() throws(DynamicLibraryError) {
    let library = try DynamicLibrary(
      anyOf: ["libargon2.so.1"],
      packages: [
        "Debian and Ubuntu": "libargon2-1", "Fedora": "libargon2", "Alpine": "argon2-libs",
        "Arch": "argon2",
      ])
    unsafe hash = try library.function("argon2id_hash_raw", as: type(of: hash))
  }

  /// Fills a buffer with the key; returns false if the library reports an error.
  func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, _ cost: Argon2.Cost,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    // ARGON2_OK is 0.
    unsafe hash(
      cost.passes, cost.memory, cost.lanes, passphrase.baseAddress, passphrase.count,
      salt.baseAddress, salt.count, output.baseAddress, output.count) == 0
  }
}
