// An independent program that uses cuDNN by its bare name, as any would: node.exe for Windows with koffi.
//
//   node.exe client.js KOFFI OUT [READY STOP]
//
// Writes "version N" or "error: why" to OUT. With READY: keeps the library, writes its process id there, and ends when STOP exists.
'use strict';
const fs = require('fs');
const [koffi_folder, out, ready, stop] = process.argv.slice(2);

function write(path, text) {   // appears whole
    fs.writeFileSync(path + '.part', text);
    fs.renameSync(path + '.part', path);
}

let said;
try {
    const library = require(koffi_folder).load('cudnn64_8.dll');
    said = 'version ' + library.func('size_t cudnnGetVersion()')();
} catch (error) {
    said = 'error: ' + error.message;
}
write(out, said);
if (ready) {
    write(ready, String(process.pid));
    setInterval(() => { if (fs.existsSync(stop)) process.exit(0); }, 100);
}
