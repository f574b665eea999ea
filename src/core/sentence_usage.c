/* sentence_usage.c: what is said of a command line that is not understood. */
#include "sentence_table.h"

/* clang-format off */
static const cs_sentence rows[] = {
    /* ---- options.c ---- */
    {"it is given twice", "重复给出"},
    {"one verb at a time, and /%s stands before it", "每次只能执行一项操作，前面已有 /{1}"},
    {"an id is the %d hexadecimal digits that /status shows", "编号是 /status 显示的 {1} 位十六进制数字"},
    {"\"%s\" is not one of %s", "“{1}”不在可用的值 {2} 之中"},
    {"\"%s\" is not %s, the only value there is", "“{1}”无效，唯一可用的值是 {2}"},
    {"the value is missing, as in /%s:%s", "缺少值，正确写法如 /{1}:{2}"},
    {"the value is missing, and the next word, %s, is an option; a value that starts so is written /%s:%s", "缺少值，而下一个词 {1} 是选项；以这种字符开头的值应写成 /{2}:{3}"},
    {"/%s takes no value", "/{1} 不带值"},
    {"no such option; /? lists them", "没有这个选项；/? 会列出全部选项"},
    {"neither an option nor a .zip archive; /? lists the options", "既不是选项，也不是 .zip 压缩包；/? 会列出全部选项"},
    {"this is no .zip archive, and cuDNN for Windows comes as one: drop or name that; /? lists the options", "这不是 .zip 压缩包，而 Windows 版 cuDNN 以 .zip 发布：请拖放或指定该文件；/? 会列出全部选项"},
    {"a second %s; one is named already: %s", "给出了第二个{1*}；已经指定：{2}"},
    {"archive", "压缩包"},
    {"/%s does not go with %s%s", "/{1} 不能与 {2}{3} 一起使用"},
    {"/quiet and /passive contradict each other: give one of them", "/quiet 与 /passive 互相矛盾：请只给出其中一个"},
    {"/tree and /cuda both name the installation: give one of them", "/tree 与 /cuda 都用来指定安装位置：请只给出其中一个"},
    {"the archive is missing, as in seal ZIP /out:FILE", "缺少压缩包，正确写法如 seal ZIP /out:FILE"},
    {"the name of the new manifest is missing, as in seal ZIP /out:FILE", "缺少新清单的名称，正确写法如 seal ZIP /out:FILE"},
    {"the DLL or folder is missing, as in needs FILE", "缺少 DLL 或文件夹，正确写法如 needs FILE"},
    {"/cudapath:take needs /env:all, which is what counts without /env", "/cudapath:take 需要 /env:all，不写 /env 时即为此值"},
    {"a quotation mark inside a word: a backslash right before a closing quotation mark does that; write \"C:\\folder\" or \"C:\\folder\\\\\", not \"C:\\folder\\\"", "词中含有引号：结尾引号前的反斜杠会造成这种情况；请写成 \"C:\\folder\" 或 \"C:\\folder\\\\\"，不要写成 \"C:\\folder\\\""},
};
/* clang-format on */
const sentence_part sentence_usage = {rows, sizeof rows / sizeof rows[0]};
