@main enum VaultProcess { static func main() {} }
