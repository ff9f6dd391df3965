"""make_tars.py <wav-scp>: tars of the formats that tarfile knows, with a folder and a link in them."""
import io
import sys
import tarfile

for name, kind in (("pax", tarfile.PAX_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("ustar", tarfile.USTAR_FORMAT)):
    with tarfile.open(name + ".tar", "w", format=kind) as tar:
        folder = tarfile.TarInfo("d")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for number, line in enumerate(open(sys.argv[1], encoding="utf-8")):
            path = line.split()[1]
            content = open(path, "rb").read()
            # ustar splits long names at a slash.
            key = "x" * 80 + "/" + "y" * 60 + str(number)
            for member, content in ((key + ".txt", b"text"), (key + ".wav", content)):
                info = tarfile.TarInfo(member)
                info.size = len(content)
                info.mtime = 1.5 if name == "pax" else 1
                info.uname = "somebody"
                tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.wav")
        link.type = tarfile.SYMTYPE
        link.linkname = "z" * 150 if name != "ustar" else "z"
        tar.addfile(link)
