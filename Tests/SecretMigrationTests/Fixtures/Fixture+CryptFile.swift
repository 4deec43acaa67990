// Made by keyrings.cryptfile of PyPI, on Python 3.11:
//
//     from keyrings.cryptfile.cryptfile import CryptFileKeyring
//     keyring = CryptFileKeyring()
//     keyring.file_path = "cryptfile_pass.cfg"
//     keyring.keyring_key = "correct horse"
//     keyring.set_password("keyring-setting", "password reference", "password reference value")
//     keyring._write_config_value("keyring-setting", "scheme", keyring.scheme)
//     keyring._write_config_value("keyring-setting", "version", keyring.version)
//     keyring.set_password(…)  # as below
//
// The three calls before the last are those that the program makes for a new passphrase.
extension Fixture {
  /// 1.3.9: `"mail.example.com", "peter", "The Valley Wind"`, `"web: app", "a_b", "x" * 200`
  /// and `"mail.example.com", "Jo.Ann@Example.com", "Žluťoučký kůň\nsecond line"`.
  static let cryptFile = bytes(
    """
    W2tleXJpbmdfMkRzZXR0aW5nXQpwYXNzd29yZF8yMHJlZmVyZW5jZSA9IAoJZXlKellXeDBJam9nSW1KME9XRm1Wa3
    hPTUVjM2VVTnJkblY1ZFhwd1pGRTlQU0lzSUNKa1lYUmhJam9nSWtoamJtTlROMWxXTm1KMgoJV2pOMk5VeG9OMUpR
    TDBwVVF6VTRjbTVzTlV4VUlpd2dJbTFoWXlJNklDSmtTa0ZUY1dScGNWbHpMM1pwWTA1TWMwMXhaaXRSUFQwaQoJTE
    NBaWJtOXVZMlVpT2lBaU5HRXdaREFyZFhCamEwNTZaVzgzTVdkR1N6QnJRVDA5SW4wPQpzY2hlbWUgPSBbQXJnb24y
    XSBBRVMxMjguR0NNCnZlcnNpb24gPSAxLjMuOQoKW21haWxfMkVleGFtcGxlXzJFY29tXQpwZXRlciA9IAoJZXlKel
    lXeDBJam9nSWxKaFJFRTVTMFp2ZG1sbGVDOXRNVkUyVkcxWFdHYzlQU0lzSUNKa1lYUmhJam9nSWxCbVdsQXZSR1pZ
    VldKWAoJY1ZGeU16TmtkM1JISWl3Z0ltMWhZeUk2SUNKc1YxWlllVVYzVkN0UU5UZ3JVVGhRZDFjclIwaDNQVDBpTE
    NBaWJtOXVZMlVpT2lBaQoJVm5GTFdrZEpjRWN3YlRnd2JIUkdUa000WVc5S1VUMDlJbjA9CmpvXzJlYW5uXzQwZXhh
    bXBsZV8yZWNvbSA9IAoJZXlKellXeDBJam9nSWpsNFluaG1MMEpvTlVGVU0xSnZPVVJwTUdzMlRWRTlQU0lzSUNKa1
    lYUmhJam9nSW1wdWJUQXZTMFJ0UldwUwoJU20xVmJrWXhiRE5LVmtWNmEwazFhWHBsUzBzNFVsSmpPVkoyZG1kcFp6
    MDlJaXdnSW0xaFl5STZJQ0ptUldveU5UUlhMMmxVVVVWaAoJVEV3eVVGVk1aSEJSUFQwaUxDQWlibTl1WTJVaU9pQW
    lOekJtVjFocmFtVXZkMUppUTNKcUwyWnpkRkJyWnowOUluMD0KClt3ZWJfM0FfMjBhcHBdCmFfNWZiID0gCglleUp6
    WVd4MElqb2dJbEU0ZEVVMGJqaExTVkZXWlVsR0szUXZWMll2YVVFOVBTSXNJQ0prWVhSaElqb2dJbkF2VjA1dmJrWl
    ZiVUZvCglTRWx2VDJzekx6RlFVSEJ3TmtkcVlXRnpiVmxEZEhaMllVbENhVkF5UkVSdmNrOUVhMjgwVHpkS1VVdzBV
    M0ZCZFM4eWEwaGpUVEJVCglZMmx3ZW5ZM05HNWNibWxzZFhadFIwTkVLMU5MVEdNM1owSXpVMjVsVDJSSVltTjFSVE
    JGYlcxcll6VXpkR2dyUjNWeVVVSTVOa05PCglkVmRXWkVFdll5OVBWWFkyWTFvdmFITkdMMFJwZWt4VWN6TTFNbEZj
    YmtOQk1YcDVNM3BWVm01SWQwdzVXazg0Ym00MlFXZzRabE4yCgliSEF5VUVvMGR5OXZZelpxYkVZeVkyMDJNR1F6Yj
    FKSGNWbElUV0ptUTFjeGRtRjZUMnBQV214bk16UlplVXgxZG1aY2JsWkRVVzVTCglVbWRWVlV0YWJrcDZLM3BPUmtN
    emExQmhPRGhhVFhCRVZqVnRjelJMZEdGMlJUMGlMQ0FpYldGaklqb2dJbVJyYlU5aVdXdENlR3hDCglia0pUUlZkVl
    VHUjBhRkU5UFNJc0lDSnViMjVqWlNJNklDSlpTR2RTVkhsMWVUTnZSVUZWWjJ4bmJXUm1hV2hCUFQwaWZRPT0KCQoK
    """)

  /// `"mail", "Peter", "The Valley Wind"`.
  static let cryptFileOfVersion138 = bytes(
    """
    W2tleXJpbmdfMkRzZXR0aW5nXQpwYXNzd29yZF8yMHJlZmVyZW5jZSA9IAoJZXlKellXeDBJam9nSWpSTlltaHRNbW
    hIZUVsTVZsaGtValJJTTBZMFMxRTlQU0lzSUNKa1lYUmhJam9nSW5Wb2FFNXFUMDlvTDFKRQoJTm5GeFF6WnFaa0l2
    ZDNwSlIyMVZhekY1VERKVUlpd2dJbTFoWXlJNklDSTJSR3hTYjBWVGVUZEJSWHBIWjJSMWNqTjBOMVYzUFQwaQoJTE
    NBaWJtOXVZMlVpT2lBaVlVZG5jMkZUTjBSUWJITktlbmRFWkUwNFRsUnJkejA5SW4wPQpzY2hlbWUgPSBbQXJnb24y
    XSBBRVMxMjguR0NNCnZlcnNpb24gPSAxLjMuOAoKW21haWxdCnBldGVyID0gCglleUp6WVd4MElqb2dJbVZXVms0MU
    syeHphamhJUkdWamJHc3lUMEYyUW5jOVBTSXNJQ0prWVhSaElqb2dJa2h5Y1RaeFVUZFFWWFZVCglTVlJoZUVndldX
    WkRJaXdnSW0xaFl5STZJQ0kyVmtncmNuTkpiVkpXWVdwd1NGcHZaR0owZUZGUlBUMGlMQ0FpYm05dVkyVWlPaUFpCg
    lkM1pVTWxWdVJUbHdZWEZ2ZFhGYU5XRnlSbmhtWnowOUluMD0KCQoK
    """)

  /// `"mail", "Peter", "The Valley Wind"`.
  static let cryptFileOfVersion134 = bytes(
    """
    W2tleXJpbmdfMkRzZXR0aW5nXQpwYXNzd29yZF8yMHJlZmVyZW5jZSA9IAoJZXlKellXeDBJam9nSWtkcFUySlZRVX
    RhVkhkblZ6UlpablZGTnl0aVRVRTlQU0lzSUNKa1lYUmhJam9nSW1sNFdUQXhkR2N4VFhKRAoJVVZaVFluazJUM2RQ
    UmxkcVJWRnZTVkZvTVZoQklpd2dJbTFoWXlJNklDSTNhMnhESzNaR09EZFBUamMwZVZFeFJXUkhSMFozUFQwaQoJTE
    NBaWJtOXVZMlVpT2lBaU5VcFZNa1l3YVhWWmJYQk1UQzl6VVhnMmJqZHhVVDA5SW4wPQpzY2hlbWUgPSBbQXJnb24y
    XSBBRVMxMjguR0NNCnZlcnNpb24gPSAxLjMuNAoKW21haWxdCnBldGVyID0gCglleUp6WVd4MElqb2dJbVo2Y1dwYW
    VUZ3ZkMmhCU21oM09XSnVWVU40TjNjOVBTSXNJQ0prWVhSaElqb2dJbUU1ZUM5Tk0xVnliVGhRCglRams0VW1oVmVF
    MVRJaXdnSW0xaFl5STZJQ0l4YkZnclNtNWpVbnB2Y1doVldrbHhNbUZXWlV4M1BUMGlMQ0FpYm05dVkyVWlPaUFpCg
    lUWFUwTlRaMmMzRjJTRU00S3pGNFZrdFliRVkyWnowOUluMD0KCQoK
    """)
}
