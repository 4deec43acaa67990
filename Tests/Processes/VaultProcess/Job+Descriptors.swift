import CipherSupport
import CLibrary
import SecretStorage

// The loading of libraries when no descriptor is left.
extension Job {
  /// Uses the C libraries first without a free descriptor, then with some; prints the results.
  func useLibrariesWithoutDescriptors() throws {
    var limits = rlimit()
    // Here and below, the kernel accesses only the struct.
    guard unsafe getrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    let previous = limits.rlim_cur
    let free = dup(STDOUT_FILENO)
    close(free)
    limits.rlim_cur = rlim_t(free)
    guard unsafe setrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    useLibraries()
    limits.rlim_cur = previous
    guard unsafe setrlimit(Self.descriptors, &limits) == 0 else { throw Misuse() }
    useLibraries()
  }

  #if canImport(Glibc)
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let descriptors = RLIMIT_NOFILE
  #endif

  private func useLibraries() {
    do throws(SecretStoreError) {
      printLine("libcrypto: \(try TestCipher().digest([]).count) bytes")
    } catch {
      printLine("libcrypto: \(error)")
    }
    let findings = SecretVault(fileURL: file, stateDirectory: state).diagnose().findings
    printLine("libpam: \(findings.first { $0.subject == "PAM" }?.text ?? "no finding")")
  }
}
