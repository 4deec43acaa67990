// Made by secret-tool like the other keyrings, each with a secret on standard input, by `printf`:
//
//     '' secret-tool store --label='' service empty username ''
//     '' secret-tool store --label='Empty' service empty username peter
//     '%s' secret-tool store --label='x' service long username Peter.ŠKODA
//     x 3,000 times: secret-tool store --label='Long' service long username 'Škoda.Žofie'
//     'кот 🐈\r\n\tline 2\n\n' secret-tool store --label='Label of two
//     lines' service 'Účty' username PETER
//     'smb' secret-tool store --label='Share' server nas.example.com user peter domain WORK \
//       protocol smb authtype ntlm port 0 object share
//     'web' secret-tool store --label='Web' server www.example.com user peter protocol gopher \
//       authtype form port 99999 a b
//     'bare' secret-tool store --label='Bare' server bare
//     'noaccount' secret-tool store --label='No account' service only
//     'schema' secret-tool store --label='Chrome' application chrome \
//       xdg:schema chrome_libsecret_os_crypt_password_v2
//     'many' secret-tool store --label='Many' z 1 y 2 x 3 w 4 v 5 username ''
//
// `printf` prints nothing for a lone `%s`, so that secret is empty.
extension Fixture {
  static let libsecretWithOddNames = bytes(
    """
    R25vbWVLZXlyaW5nCg0ACgEAIAAAADuAXFlRCPN0PMyliBYgyFJwMBPBTHBeNzg1xzUy/Rg7oIYBAO5HAmsAAAAACw
    AAAHNlcnZpY2UA4wlFB9TjzcaPeqE4g15pjZrGP9nrrdXK5vMPowS2zmIIdXNlcm5hbWUA+7O8fJfug0wIecedpONh
    4+nw7auFs8QvkKlV+01IIskJKVPat8Vobesmd9RH8rYcf3EH+YgSWro366it7y9T7nPotIBu1+TRJtQnyocQXzsjgu
    IjJB4CThxI0jWwP78lMrAyDGTAlRb0nc8jS0kik2ZHQB6O9gSqKzbZ1glLzK6wsvz4k7CRwmFn8VyWCqGkv9voVXNl
    cnZpY2UA4wlFB9TjzcaPeqE4g15pjZrGP9nrrdXK5vMPowS2zmIIdXNlcm5hbWUA7gTPFYldBaBJQiGoSGUgCRTiYt
    igKihVg99HHmwK6wkJKVPlbH4EGLBWB9v3wy8N4icoGeD4QrNY6AClQZW8cCdrMR7WJ9kCr5iBjdofIDuxpPzjcaFf
    fvul70cmeoNOmHJ2IIho85Ut2MKf4dIlvfCe4SQUb8nl+of1IHTGIuWhZRGrxfkoaEpnc9l+4YbfCKKHVXNlcnZpY2
    UAM18HJWLEnuh++EQSgKZfqrYs9zgSLaGQD8BKHaLxMm8IdXNlcm5hbWUAMvQh0GiChe+nz0LFJB37yzMQg6s2gi+D
    N/qpHYB9p+kJKVOqRrcE6BFJzTj2GqlknWkTb2tQLFdCF3BzRePYDmw/pObFIZ/iK0HU6v9FvzS2hv7GrSjyFfIUCG
    nieEg1bkALb1biP9m9mZiVO8rflFuRH/CeLhYvOedH82+/0bij93MRZoJM0prQVSHNMVdja9i+lOHRWim+e4YdeHzl
    EooJJ1VzZXJ2aWNlADNfByVixJ7ofvhEEoCmX6q2LPc4Ei2hkA/ASh2i8TJvCHVzZXJuYW1lAEZhPwc/WAP7pGSzZM
    dTz/c31Sn02lfzADYI9GbYKb9pCSlTkE4iz3t0jOiWNXaVEMFSlbUzG+Q+QV1M3G36Dn/7O3tf4P14f9txhpjV8jIy
    7aegNf4s0qVlps3hcE/60jG4MgH/tmk7NQsOVGL1pccmhM8pfYNANiIqfEFTluYWN8ywgwvbHziibu9k/E6r5KoFMN
    Y37Q1hq9jTkuhmc4ayHBu9W2nIvimkBldnQxRDHhrh5QqPxR/3IKAmeUnsOu+wN2DVjrKz4vx1T25QpdnpMMYStm+I
    lGX+DFRzoRu7rW5nymgzsGFq7/d07rEnha6QZVH4B/3kdvQnp+6Uz52WUZYggG91/4+x5C9af0v6D4XM9Jsm9m2+XG
    f42lqWS45Sjdy3pQgAtNiAUc2ij3jWaoUdZKX55ZGyVLiWoUgRsonEarJbQFDI6iOvlBeLOZXahJirhlYLTwB0sC/P
    nbZaCf1E0VDX4//PkHmgcJaL13tcR6KuSTWKSRtq2cJYqMR7eZasX79hn1VcyrzS1m4ozp2v2gkcnqjeVbPg9VNMzP
    gAvnyfWxWpJ6lmEy7/5CqqlFGukerE7kMIrbFHVMaOssZawMvTElz3h/En5V9EGSpDquB3tQRzDQTZT61olAHM5YC0
    zCggSzVzZD4JSHeqE20yXDw2l5Gb2WyKeWP7tD4ELfJTj/7arVCWJ1rc1JvIgtA0p3VLL13vhY7aWTQxeQFGbCv1YF
    Wjj2f1V1dAvEDM8CDG7H5Xxi1WPuh5H3gFzXrDwYHcG1BIFFQamRfXRG2dAPRM6Vp43sO11w5+6/DDERa0Qsh/mKpX
    I6NBw014JfaSrdKSHRBGC7t+0AhekRS6lRqe4Z5b9/nJkkh/oEqyv4Dd+QScfcu5eF/hzwRvvbQB7GvEJqdV9bGPQD
    PdmGI7fPr6T1ufpreUiDZgIAPV+iInHLAZoQ+RuwjWtNcgHvKiMGlyMR3FiRTsx44NG84GnnOtTKHc/LmDPExUwl5c
    wM9MDt6AcbnVgPnM8OX4AYTOOZJ0U6n9pFkr3m/4YA+bPDJgYz/W5TjtYjUyOIixHtWwqYJsdAADnqxsez9KlTknpc
    qBK921xpFuqnAsCo4qNFnlzzCGXUqB8+6uN4xlcqtLY0OgJ8za4cIBZV6Nqt9tETzkXfpDWpWlePn+TUKZsCpX4Uy5
    qUcJEUIThh91rgRhuhkhxAUwYvGno29bd+IPcun91QGafHUD+rllgSt2U/AVFbmPgcBlmRfybWiECmAfW7SkEGTyYP
    ZmrGdc52I6nskUk4iuQXtQnT9cqC10pzs/j3cwkFy+s+FSbEJPHDcWPHMpFjdNQbNNLGPj3pMWnwrAObmSE756fMAq
    51FJgrA108rEG54eiowTUOiOaZIz02MLeZeOQqlWlbILX4omtAjTw2cMq8DYQ2orl9BOBdWM14lC0wriAUOoBImqAG
    KahlCWz1ecRWh4jb/sAGNAlzodIGJDzjKTLqBu7IkDnugv0Qgck+l6neMHNdCVeKi8feWabWGCePmx6PuUcvuw20i7
    XFZI3f5ZleH9sB/cC/NtD9fjeJjgRNmCY201urIyAJYlZCfgSmQHpZI1D0znzIHe9GUuSwOaKyJd/AmfBf9wFvgTWI
    767qjwy3ZL0No2tOko0oFd8+appFpcDvLtvFFqWOdMFvLGx1b60bLlFid2H4Aeo8pDgv2z2KFnsrQJmJTpPFjqAiZJ
    6fkuy5y0fYghDBbE1XqOzH1vShtQF8/iw5BCgtE6utYFaNDi+o5czstof6IoJk4BwKWwR3z2Sne9L9wgHjLX0k2mVI
    Ptcgz5qHMEkUanyE8XnCS2oPRSMXyMLGejfnTz9fyp48We1caM0BHQlyQpoXO50OHVdwMQ3WHjbSrZY8+EFkh/CBB9
    j6PE96YGNpxI0Qzz09tdBtqxGZYA/HyU/+USNlTJsLxKYDbju48JoSyxh245pq7CGswoPNo+d3fRfMY2AjuHDNwr2R
    o6nqXVTs7hrPKfKtl5qusbleikxCWjQYfCvO6i0quGgQ9I0TxsoSVVsGs6Xd0FVRqkaFlNwnJMLCiEDQWnIBOLs9Wb
    cHUhIQeXXuJSF2naZvPngfE2y5SqQuZ6y0bvc1ruZkEsLm+GA/BGrTFMf0bF4B+EfHtkDx+/UmIUk+7/INsYRH60yt
    tX026G6VktcjGQompaaxHL59lx5BHttIiPUzKoTZMT9Y8xqHJwn5m/MvSF3CwB+JrEusfMHnEa7jruLD1FGIBCftAz
    BhP65GCwpaI1pTr5XVqHMTgo1OZyVvrwpXee32Wd81J1dpxUNrOYpI7zYCrpX5Gm0p1swI16W6x4XklSbnRKPTtppf
    +RM4/zOuVecno0RzD08Sj2TerRg9YdWCBBlGrm3BiJys63drYfow0WP+RLwe+ZoHjHjXDXaY5MQ57wIajVk1TzFc1+
    VLb/X/svjpOLTj4CtYGG4NNuGvnT+7JU14JIJ7uNx1GHxUrhfQxFX/fTCP0sM9ltYyscmVEAH6ICMcSuBp1e3qOtL6
    RUs28I2xkEH2Clt3bz2v34mgNoFiOMAkr4rhwCWb9sJ4/aY8vbcAo9kAxvKjkA6/OLGvXAoYKq4Tv/OL+BJP6tmC0z
    fRdAUmbMrsT5c6SzLh5Rij04/nxUx67pZA9kVY4Tfj/jX2az7+lr9BjklzZIk0psuh6sqn9yy+Apd4B2n/nPcPD94u
    iClpKuzVMlMCdYVjSffaRvRIEzLWY+X9yXK2JUFcfCz1yhLcqHQhhx328dcUYfz0JzJ/QJbtvPHUr6Qzph7ifO65Cs
    0IUblq2nkVPg2vcahSywwtoAOgQRlM0hmXtf3Z9RfEhE3J6fvH5nRdDPXrfD+8cQT35Q+0SB8ryQfIhKFdHTdfGdwU
    jIqRbZDEN+dMzLqTTYP86Ee7+UU5kbZvksQMhRnqyFH6M1LIyoQUBkj/YOHCsMtt2sfeO30RbKGIqOsLN0IebBsGO1
    bH1R47rJNpYXSjDwPG4lbcyYW6Wv9qdRfGl2VxEnpDqggRJPFfAAmDGap8dtgWyFt94lWx3Gtt4QbHzaDN5oNjiNAY
    acELShpxOIOYC6ClZA5p7Q5qEAkwLQdvH5pprYnFe1K1X56JArEvz23LUqee4PqAOTntHPZslpmE1NB4U5s/AGVdfI
    IwZm1IcC/zgo0fP0RjpAdWVODG1QZHoiq2voaqkjWF6eEiQX3+XClgdYpMGRjsP+hmKQLMfAc2cmcYT2IxLshMKlW9
    mNy8CpDwtjIj8tqyf9zhC5EFgH5a0n+cdzt6rVMT2oY3an6Xe4PaIjUMt8IhYApJgfwyy9yjGE/bBp/l9XfPs4GuA4
    G5RsBfDkZY+84kq+rTQ3y0vR1+j6HEjyWIc9n+ZjHrn0pAyXZeMZ+Vf4LBfoiDu+54nCbMt83HjAO/5aXs88d1/if+
    f87gJh8D/47CgRjDQA4w686Bl6DODGS+j3vX1uctWQjJLXa0NEagsGMR2U9ZIjkJ3dcF17zEmDgPMtbCIJe0rJFXYM
    GCbA3883z/uZDFb0Sb7KQQ6/q5gpi67kIiQ9HkY4AOd7D2PJQEwKkRGgGAAZb3B5smCQ4zrojN+FhS4yEnjQym8nwm
    MItUvD7wnvr7uJf2nD3Rj1kAH24SzgLqf3Go96KXsWo9EiUDuUHVCxm6YDUYLPyyaDJvLhnesK+sqreRDx9N6fDpK2
    aUODtz+nCtL2HtvjLln1r4WLCgTn1TpQZkFKfrD5rJL6JanSYy3SD1ENCpyAYGOZRLhU356tLih0ddfxd/Q0fH5xns
    JJYDO4tmo4SVvOUKkllW5LPHS7aaH5zXhDMjbytlzB6tNH6HzN+3II3B+FTXNI2iMoEYoBZIC1LDprNYqxnngm/HNV
    FtmjCDYPAzGUVSzlZZLGY7wZmYv535F43IVp01n/AFmVuERZPlrE/uKaSJfxEM1YLbMiqdFm3m2Gmj+m1k/dUW5Wqq
    YEa5uXLaiQ/xLtCBzZ6joOYbBKPppGIvmwdJI2ASEib3Kp0BDbxgkt+zo46FRn5oM71TzEAFf1okLhIvYpuZjiMtZU
    m8AnbVzIHGx9Nw3PkkFP7pj6KPEDhLu2jC4vcnB/UXn8uefph+rkJRsq1oKl+4F/80Pv5eUjx/KG9qSoAbHycZ3t6s
    EVoatYc2jmM/a9PXzCmzTPlSSPJmKbGliQ1sp104xJJZzLERsxVQBzZXJ2aWNlAIM0XMP93oXxVSlB1lz83f+qlf1g
    o6Y7ComCupVhS56fCHVzZXJuYW1lAH4aNIWaC8MfYJMHzPOtu318TWne65Wv8VuYTfdZ3dgaCSlTkiIXiE5folao8j
    3XrFxW/LFLPSRtZ6IylYEK2milwxnVtQadkrI0xAugulJY4bTX1HYxuLlBYfbxbpXCDnyyQZlKv8TowJZaDWzYZGhZ
    E2tCrBwthp2yWXhNgXhicJOlELWijrTT+5jwoJGEH+BAYewVoWd9vnPCK4Jq/Ht+h/cXyuC3Q+iLBAIB0dM96l36gf
    TML48qRiIzuDuPYufLMlVhdXRodHlwZQCKQMSxntTwcgrUVsLGwNvE/mcfB5yDoyPLx0b8kcgxsQlkb21haW4AGZ2X
    n6H6ICru6Il7MPCwHsu/Oj1tHtYQb7m1ZLxYNycHb2JqZWN0AEl+C5c35IQzhmJ/X7OBhP2QFap7IpEVhNAhxYzRLb
    5mB3BvcnQAF1C7hfH5MYv12w8HQXtS34epHtgCnEc52b4tEye2gPAFcHJvdG9jb2wAbS/4gnKy7AgsDZtGmblzJ16Z
    TcF8DrYuD3XTnlTgg2QJc2VydmVyAM7DlW/aRi8Qmj7NQTLmcCcRUi/n7aggY9g+KWEUgQ2xB3VzZXIA7gTPFYldBa
    BJQiGoSGUgCRTiYtigKihVg99HHmwK6wkFKgBSAHoAoADKAPIAGAHsaGFj4/xQxW9YzS2t8/JDpHI9bNXQc975qc/G
    lsmhz50nF5wAfCc2HE3bOcXmHP3HGRKryQj75H6O97g4JjRIoo7M4eWI6Nl0Y9VBVonGr69DNXO0QC7wjqQshjEERO
    hX9O9j3cKCfpjSjgsQZJMDVIf3XlO13Ixy27SlFaNYZixrmnaWcho8VrjC7Q6qqUk7YjYLiZA7NYMA2qcn/mbOog7v
    eKvs95vP8dN2yI5tiCK72lbCSi+GuLmj0Bnhlm0mAWEA83bc1a+/z1wLhdCyn+aFY9RtiE/UwR/J9UhX8ddnqPcCYX
    V0aHR5cGUAfRUpKjBEjA7gbMa6QkPFsmKfRlzfEBczPH3Yxw2VQ2cJcG9ydABg+iEwxNeFilidolT88bmScI6B45Am
    PIqyHTNtQhIUTwVwcm90b2NvbABF0GfPbsK6KyrP8I2VQXZFZYaNFvFW+/G4Yn4ns39IuwlzZXJ2ZXIAEVvVxWtry5
    3LdoFmntRiZg2PxYO6mRJOx7VRNq8z7M8HdXNlcgDuBM8ViV0FoElCIahIZSAJFOJi2KAqKFWD30cebArrCQUjTXOd
    xesZQ+sch+KM+9EXNnbZVwGJuGBdI364BWtsmPxs56ntmMOMyujqOG4ASW0aI5eQqdv5biVYg0C7PEz63z79suMARZ
    b6B1xdxew89wCSkFBCylrl9dXGd4VjL4AInlYhuFSbVPOKxGdh0xhhPwgb0i8kIXzn4xB66H8r7GZ3UZV3K6rquOox
    RuX4WPBRcmQyZ+PiUe7aOLLBRF5XUp9HZuD4otNX34OEXhN46O9iOamv0fEAc2VydmVyAGzf07htB3behp0ZKcEsU8
    NUD9q9o0Ee3G1oimLfu21SBygM6dnc55ds7vidtdwU9SCq2/I9XhABbshZH+gPH4/1UsuuccadLJ2mKR2DzqhStKot
    ONQilPcfwjKBjM4DyYqKrixjGW1xRN3Zbw44nhm88iCqCUIjvgZ+28qzA2jx/nYpc2VydmljZQB1lSBeDmrrUHlvhy
    /rgCCBbYZR7+pm+78XU/CzPGnuJQgpbRAONWXaINzr4fvcpQpb8Q6qpRVpmc+W9nAjP/7fZ2PuS768IvbhBOGcok6J
    F57W3QC7iS5/ffAHxZY0u50aRd6MPh4c4Y78ba6b2ueeV3sTYTWcyOcsgi4RC66scZv21/aC6IxM/R+2kGdYTXlpHy
    phcHBsaWNhdGlvbgCOfla8u+pxLaBburFoO1WpRrFQySfKvVRkbk5RuUZ1PAx4ZGc6c2NoZW1hAD5+efUhEbuEy364
    XCDGCaK+IiziB7i99YYNjBZOK+ywCy1ZyS1IYT6qgx1QZnTZTITgHD7aZjGfalCk7uPVawzOgTjYbBFoXzq49+NPcH
    jVdDDHdL8MWz+HxB6t3vkn/cSMSxDgUYAvTRrcHBfutr/L3nOpQg1e3vh3lY/7CZjgmk4aEHjcaPRn/j2bpqV3TtCE
    DKtn8ld3ApwCOJusE+oqtsO6zQ+2axZrJz2Fv/MXffe4BfwHvgsRuvAOyBAfcxEjz1t1c2VybmFtZQD7s7x8l+6DTA
    h5x52k42Hj6fDtq4WzxC+QqVX7TUgiyQl2AAQaWcSgbwb4eFMjkd9BEMUEUH8xyMjQ7gjFz/7kRUdGAncAe429awYO
    edTupG7YNQ6a7BhEaIQy22+eWGn0Pcqa+zcCeADPyFDxNxe4ZlVco+qsELdAi1CqAUxT46nSnjn0jWUwzQJ5ACWOq+
    bCBwxxpLkdDb2P1vyIqX88LVBkcYYXZXC6HUhLAnoAUhFVBySh1OoTP6NVRHA7rbBATrMgSpKJKuUEMTsDYP4CKk1w
    k7bZRE0o7knjL1obKCIeMe2vmdDaASifPtCnD2k+7DEwjr7eyr28DzadCI0JrhdBqQUKOMhSwyoDIrNO27dNBAfI8W
    R+TFNg0TBLzqsWNdrtCMSTDCzFwFC6Og0ehuoBcj1V4PeBSz7LCqqboMIOdXQBHhRR/+fRyMZK/SPBvXHKJenfAMYA
    jAFiAukO3w/HEWoT9BOPFIsV7BYkAA==
    """)
}
