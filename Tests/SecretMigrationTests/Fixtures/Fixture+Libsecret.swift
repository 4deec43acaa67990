// Made by secret-tool of Debian 12's libsecret-tools 0.20.5, with SECRET_BACKEND=file,
// SECRET_FILE_TEST_PATH=default.keyring and SECRET_FILE_TEST_PASSWORD="correct horse":
//
//     printf 'The Valley Wind' | secret-tool store --label='Mail' \
//       service mail.example.com username peter
//     printf 'The Sixth Station' | secret-tool store --label='Git: https://git.example.com' \
//       server git.example.com user peter protocol https port 8443 object /project
//     printf 'line one\nline two' | secret-tool store --label='Kůň' \
//       application tool key 1 kind Žluťoučký
extension Fixture {
  /// The three items.
  static let libsecret = bytes(
    """
    R25vbWVLZXlyaW5nCg0ACgEAIAAAAEaOg9AirdxYCmeMJMkCRYXO+IA0vwtfq5NlN+FY0dBsoIYBAMQvAmsAAAAAAw
    AAAHNlcnZpY2UAPDkz26A+ixS2SmK+6WDSP/N17NO3pQXIEhRepsyoO9cIdXNlcm5hbWUAq/bsi+wgXlPA2XQgPRMx
    V6iWmbK3IUpiAA0DisMc9rsJKVNGcm4OAGiG/0J5n4A20x8iCmCGzI+GhhtQotBQog7594tg+j+CiFHX2rB1AzxCtH
    AvS5J94yN6TZ2MzcZTiBw5xK6CM8SICtb530gRo+nohJvp+xsSzOse/9ceTDPafQkOdbkg/6VIiXG7G1E53QldwRv+
    d/XA58F8kwiTJicanRSFoZojbLLHaQassAies8lVb2JqZWN0AEUNYcOJfM1gRLPxnNH9hau3wDgK4JzdNMYtQbTdhO
    IBB3BvcnQAU0M7jQob5IuIH6UhSMj83dMI8t08gkEl+elmn+kHda0FcHJvdG9jb2wAPFRNu/SGknVhOpGkMLD74emL
    SMGul+rPk+J/aiUAt7YJc2VydmVyAJ9AFCkS9ERxH8QJKH5q+7+utyK2aF2I9m6sAy/Jj2QAB3VzZXIAq/bsi+wgXl
    PA2XQgPRMxV6iWmbK3IUpiAA0DisMc9rsFKE54oMbZJF/lWxiSXFORamAplLxaP8Mqv9Ye9qxxkFdIDnbX4XCvyXl8
    q8VOqr6OwKi/6V03jMXDZnZqcTmtOk4EB/+l1Z1QYva6QFwDJ2faLbt+VjDUuOFZd3cb7o+t40+9jD89dVx22305Yb
    Cdb3nvH/P4vD3e747EYwsMV8WKFHiIMUHPjlk0D265JEdpxzWjUtYKrBahOarmFfOOa+xl6mY79XZVJgnV05QBwh6A
    NjGLjn5vHeiXrts2cclsDIrilIjOzRZ8Dubke5wNGQ+abMFqywBhcHBsaWNhdGlvbgD9K/m3yWDX8WFSgP6qd6EwJr
    /kwQGAy2kJllGdesTqBQxrZXkAMEv5GgHcD+uLMqj7bc2MzimEasfK2YqhSN1tdSEOBXQEa2luZADDXiEYqCO7b62n
    O/7BooXfIg2RXnKgh5Dgachw3keXMQUtUnjMeL7IvWurDZdkiWPWEZjGMOmE4ShQ+0ovfqFlRwgefFCfdABg9D/16x
    k/GSIl6T+14K+sZNnQBquTwiY5fHIdfDTC7z0tald9bdnrHmwxIT1VxPESbv9AvsWZz41TM4yNUPNWfsLjTgYo5KU8
    XLCG+9cB6N/fESGe8mXuqJSAoC5XSchm1SOAW7OGuROPnfp7AOYAgwKQAyQA
    """)

  /// The same file with `service other username other` added under the passphrase `another`, which
  /// libsecret does not refuse.
  static let libsecretOfTwoPassphrases = bytes(
    """
    R25vbWVLZXlyaW5nCg0ACgEAIAAAAEaOg9AirdxYCmeMJMkCRYXO+IA0vwtfq5NlN+FY0dBsoIYBAMQvAmsAAAAABA
    AAAHNlcnZpY2UAPDkz26A+ixS2SmK+6WDSP/N17NO3pQXIEhRepsyoO9cIdXNlcm5hbWUAq/bsi+wgXlPA2XQgPRMx
    V6iWmbK3IUpiAA0DisMc9rsJKVNGcm4OAGiG/0J5n4A20x8iCmCGzI+GhhtQotBQog7594tg+j+CiFHX2rB1AzxCtH
    AvS5J94yN6TZ2MzcZTiBw5xK6CM8SICtb530gRo+nohJvp+xsSzOse/9ceTDPafQkOdbkg/6VIiXG7G1E53QldwRv+
    d/XA58F8kwiTJicanRSFoZojbLLHaQassAies8lVb2JqZWN0AEUNYcOJfM1gRLPxnNH9hau3wDgK4JzdNMYtQbTdhO
    IBB3BvcnQAU0M7jQob5IuIH6UhSMj83dMI8t08gkEl+elmn+kHda0FcHJvdG9jb2wAPFRNu/SGknVhOpGkMLD74emL
    SMGul+rPk+J/aiUAt7YJc2VydmVyAJ9AFCkS9ERxH8QJKH5q+7+utyK2aF2I9m6sAy/Jj2QAB3VzZXIAq/bsi+wgXl
    PA2XQgPRMxV6iWmbK3IUpiAA0DisMc9rsFKE54oMbZJF/lWxiSXFORamAplLxaP8Mqv9Ye9qxxkFdIDnbX4XCvyXl8
    q8VOqr6OwKi/6V03jMXDZnZqcTmtOk4EB/+l1Z1QYva6QFwDJ2faLbt+VjDUuOFZd3cb7o+t40+9jD89dVx22305Yb
    Cdb3nvH/P4vD3e747EYwsMV8WKFHiIMUHPjlk0D265JEdpxzWjUtYKrBahOarmFfOOa+xl6mY79XZVJgnV05QBwh6A
    NjGLjn5vHeiXrts2cclsDIrilIjOzRZ8Dubke5wNGQ+abMFqywBhcHBsaWNhdGlvbgD9K/m3yWDX8WFSgP6qd6EwJr
    /kwQGAy2kJllGdesTqBQxrZXkAMEv5GgHcD+uLMqj7bc2MzimEasfK2YqhSN1tdSEOBXQEa2luZADDXiEYqCO7b62n
    O/7BooXfIg2RXnKgh5Dgachw3keXMQUtUnjMeL7IvWurDZdkiWPWEZjGMOmE4ShQ+0ovfqFlRwgefFCfdABg9D/16x
    k/GSIl6T+14K+sZNnQBquTwiY5fHIdfDTC7z0tald9bdnrHmwxIT1VxPESbv9AvsWZz41TM4yNUPNWfsLjTgYo5KU8
    XLCG+9cB6N/fESGe8mXuqJSAoC5XSchm1SOAW7OGuROPnfp7AHNlcnZpY2UAOVXcQOGZXFFpZ6tsgHwo7zHvRovp/N
    IMSgYsnN3aXsYIdXNlcm5hbWUAOVXcQOGZXFFpZ6tsgHwo7zHvRovp/NIMSgYsnN3aXsYJKVNb+SuE2RqNXb9FITI/
    cxcNsQplpMwFuuiXaiRnleZB8lQ1Z72/IhIF6rOBdni7t14YF+FDTWFJvprCYwq/I+yOgfVEvCsVG3XSpB2HYHxIKe
    nsMsyqSaerIiIk3NX6B6M/Wp6Z3+L4B2svpLYrAeyMVeYAgwKQA1YEJAA=
    """)
}
