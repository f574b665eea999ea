/* The frameworks on a machine: found without running anything, judged by the table, in made folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../../src/doctor/doctor.h"
#include "binary_maker.h"
#include "cudnn_setup/frameworks_table.h"
#include "document_table.h"
#include "memory_host.h"

#define PYTHON "C:\\Python37"
#define SITE   PYTHON "\\Lib\\site-packages"
#define USER   "C:\\Users\\user"

static memory_host *machine;
static cs_frameworks found;

static int set_up(void **state) {
    (void)state;
    machine = memory_host_new();
    memory_host_folder(machine, USER "\\AppData\\Local");
    found = (cs_frameworks){0};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    cs_frameworks_free(&found);
    assert_int_equal(memory_host_open_files(machine), 0);
    memory_host_free(machine);
    return 0;
}

static void path(const char *text) { memory_host_reg_text(machine, CS_HKLM, CS_KEY_ENVIRONMENT, "Path", CS_REG_SZ, text); }

/* A distribution as pip installs it; metadata NULL: the folder's name alone says the version. */
static void put(const char *site, const char *info, const char *metadata) {
    char file[256];
    snprintf(file, sizeof file, "%s\\%s\\%s", site, info, metadata ? "METADATA" : "RECORD");
    assert_true(memory_host_text(machine, file, metadata ? metadata : "x"));
}

static void put_dll(const char *file, unsigned major, unsigned minor, unsigned third) {
    uint8_t *dll = pe_make_dll();
    put32(pe_at(dll, PE_VERSION_INFO) + 48, (uint32_t)major << 16 | minor);
    put32(pe_at(dll, PE_VERSION_INFO) + 52, (uint32_t)third << 16);
    assert_true(memory_host_file(machine, file, dll, PE_SIZE));
    cs_free(dll);
}

static void look(void) { assert_int_equal(cs_frameworks_look(memory_host_seam(machine), SITE, &found, NULL), CS_OK); }

static void find(void) {
    cs_frameworks_free(&found);
    assert_int_equal(cs_frameworks_find(memory_host_seam(machine), &found, NULL), CS_OK);
}

static void expect(size_t i, const char *version, cs_serves serves, const char *english, const char *chinese) {
    assert_true(i < found.count);
    const cs_framework *f = &found.items[i];
    assert_string_equal(f->version, version);
    assert_string_equal(cs_serves_name(f->serves), cs_serves_name(serves));
    assert_string_equal(cs_buffer_string(&f->sentence[CS_ENGLISH]), english);
    if (!strstr(cs_buffer_string(&f->sentence[CS_CHINESE]), chinese)) fail_msg("%s", cs_buffer_string(&f->sentence[CS_CHINESE]));
}

/* ---- one folder ---- */

static void test_frameworks_of_a_folder(void **state) {
    (void)state;
    put(SITE, "tensorflow_gpu-2.3.1.dist-info", "Metadata-Version: 2.1\nName: tensorflow-gpu\nVersion: 2.3.1\n\nVersion: 9\n");
    put(SITE, "cupy_cuda101-8.0.0.dist-info", NULL);
    put(SITE, "cupy_cuda102-8.0.0.dist-info", NULL);
    put(SITE, "numpy-1.19.dist-info", NULL);
    put(SITE, "tensorboard-2.3.0.dist-info", NULL); /* not tensorflow */
    put(SITE, "torch-1.7.0.dist-info", "Metadata-Version: 2.1\r\nName: torch\r\nVersion: 1.7.0+cu101\r\n");
    memory_host_text(machine, SITE "\\paddlepaddle_gpu-2.2.0.post101.dist-info", "a file of that name");
    look();
    assert_int_equal(found.count, 5);
    expect(0, "8.0.0", CS_SERVES_YES, "CuPy 8.0.0 was built for CUDA 10.1 and cuDNN 8.0.3: this package serves it.",
           "此软件包适用");
    expect(1, "8.0.0", CS_SERVES_NO, "CuPy 8.0.0 was built for CUDA 10.2: cuDNN 8.0.3 for CUDA 10.1 does not serve it.",
           "不适用");
    expect(2, "2.2.0.post101", CS_SERVES_NO,
           "PaddlePaddle 2.2.0.post101 was built for CUDA 10.1 and cuDNN 7.6: cuDNN 8.0.3 for CUDA 10.1 does not serve it.",
           "PaddlePaddle");
    expect(3, "2.3.1", CS_SERVES_NO,
           "TensorFlow 2.3.1 was built for CUDA 10.1 and cuDNN 7.6 and loads cudnn64_7.dll: cuDNN 8.0.3 for CUDA 10.1 does not "
           "serve it.",
           "会加载 cudnn64_7.dll");
    assert_string_equal(found.items[3].distribution, "tensorflow_gpu");
    assert_string_equal(found.items[3].loads, "cudnn64_7.dll");
    expect(4, "1.7.0+cu101", CS_SERVES_OWN, "PyTorch 1.7.0+cu101 brings a cuDNN of its own and does not use 8.0.3.",
           "自带 cuDNN");
    assert_string_equal(found.items[4].folder, SITE);
    assert_string_equal(found.folders.items[0], SITE);
}

/* V10, L07, L08: what lies in its own folders says more than the table. */
static void test_frameworks_with_a_cudnn_of_their_own(void **state) {
    (void)state;
    put(SITE, "torch-1.12.1+cu113.dist-info", NULL);
    put_dll(SITE "\\torch\\lib\\cudnn64_8.dll", 8, 3, 2);
    put(SITE, "cupy_cuda101-7.0.0.dist-info", NULL);
    put_dll(SITE "\\cupy\\cudnn64_7.dll", 7, 5, 1);
    put(SITE, "nvidia_cudnn_cu12-9.1.0.70.dist-info", NULL);
    put_dll(SITE "\\nvidia\\cudnn\\bin\\cudnn64_9.dll", 9, 1, 0);
    look();
    assert_int_equal(found.count, 3);
    expect(0, "7.0.0", CS_SERVES_OWN,
           "CuPy 7.0.0 brings a cuDNN of its own (cupy\\cudnn64_7.dll, version 7.5.1.0) and does not use 8.0.3.", "7.5.1.0");
    expect(
        1, "9.1.0.70", CS_SERVES_OWN,
        "NVIDIA's cuDNN wheel 9.1.0.70 brings a cuDNN of its own (nvidia\\cudnn\\bin\\cudnn64_9.dll, version 9.1.0.0) and does "
        "not use 8.0.3.",
        "9.1.0.0");
    expect(2, "1.12.1+cu113", CS_SERVES_OWN,
           "PyTorch 1.12.1+cu113 brings a cuDNN of its own (torch\\lib\\cudnn64_8.dll, version 8.3.2.0) and does not use 8.0.3.",
           "8.3.2.0");
}

/* Nothing is made up about releases that the table does not tell of. */
static void test_frameworks_that_are_not_known(void **state) {
    (void)state;
    put(SITE, "torch-1.12.1+cu113.dist-info", NULL);
    put(SITE, "tensorflow-2.10.0.dist-info", NULL);
    put(SITE, "cupy_cuda101-9.6.0.dist-info", NULL);
    look();
    assert_int_equal(found.count, 3);
    expect(0, "9.6.0", CS_SERVES_UNKNOWN,
           "CuPy 9.6.0: which cuDNN this release wants is not known here; it was built for CUDA 10.1. Its documentation says.",
           "不知道");
    expect(1, "2.10.0", CS_SERVES_UNKNOWN,
           "TensorFlow 2.10.0: which cuDNN this release wants is not known here. Its documentation says.", "不知道");
    assert_null(found.items[1].cudnn);
    expect(2, "1.12.1+cu113", CS_SERVES_UNKNOWN,
           "PyTorch 1.12.1+cu113: which cuDNN this release wants is not known here. Its documentation says.", "不知道");
}

static void test_frameworks_on_the_cpu(void **state) {
    (void)state;
    put(SITE, "torch-1.8.1+cpu.dist-info", NULL);
    look();
    expect(0, "1.8.1+cpu", CS_SERVES_NONE, "PyTorch 1.8.1+cpu computes on the CPU only and needs no cuDNN.", "CPU");
}

static void test_frameworks_odd_folders(void **state) {
    (void)state;
    static const char *const names[] = {"torch.dist-info", "-1.dist-info", "torch-.dist-info", "torch-1.8.1", ".dist-info"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) put(SITE, names[i], NULL);
    put(SITE, "Torch-1.8.1-py3.7.egg-info", NULL);
    look();
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0].version, "1.8.1");
    cs_frameworks_free(&found);
    assert_int_equal(cs_frameworks_look(memory_host_seam(machine), "C:\\nowhere", &found, NULL), CS_OK);
    assert_int_equal(found.count + found.folders.count, 0);
}

/* Names and versions come from files that anybody may have written. */
static void test_frameworks_text_is_made_visible(void **state) {
    (void)state;
    put(SITE, "torch-1.dist-info", "Version: 1.8\x1b[2J\n");
    look();
    cs_buffer text = {0};
    cs_frameworks_tell(&found, CS_ENGLISH, &text);
    assert_non_null(strstr(text.data, "PyTorch 1.8\\u{1b}[2J"));
    assert_null(strchr(text.data, 0x1b));
    cs_buffer_free(&text);
}

/* ---- the machine ---- */

static void in_folder(const char *site) {
    char info[] = "torch-1.8.1+cu101.dist-info";
    put(site, info, NULL);
    find();
    if (found.count != 1) fail_msg("%s: %u found", site, (unsigned)found.count);
    assert_string_equal(found.items[0].folder, site);
}

static void test_frameworks_python_on_path(void **state) {
    (void)state;
    memory_host_text(machine, PYTHON "\\python.exe", "");
    path("C:\\Windows;" PYTHON "\\;" PYTHON);
    in_folder(SITE);
    assert_int_equal(found.folders.count, 1); /* once */
}

static void test_frameworks_virtual_environment_on_path(void **state) {
    (void)state;
    memory_host_text(machine, "C:\\work\\venv\\Scripts\\python.exe", "");
    path("C:\\work\\venv\\Scripts");
    in_folder("C:\\work\\venv\\Lib\\site-packages");
}

static void test_frameworks_python_in_the_registry(void **state) {
    (void)state;
    memory_host_reg_text(machine, CS_HKCU, "SOFTWARE\\Python\\PythonCore\\3.7\\InstallPath", "", CS_REG_SZ, PYTHON "\\");
    memory_host_reg_text(machine, CS_HKLM, "SOFTWARE\\Python\\PyLauncher\\3.7\\InstallPath", "", CS_REG_SZ, "C:\\launcher");
    put("C:\\launcher\\Lib\\site-packages", "torch-1.8.1.dist-info", NULL);
    in_folder(SITE);
}

static void test_frameworks_conda(void **state) {
    (void)state;
    memory_host_text(machine, USER "\\.conda\\environments.txt",
                     "C:\\miniconda3\r\nC:\\miniconda3\\envs\\gone\n\nC:\\miniconda3\\envs\\ml");
    in_folder("C:\\miniconda3\\envs\\ml\\Lib\\site-packages");
}

static void test_frameworks_of_one_user(void **state) {
    (void)state;
    in_folder(USER "\\AppData\\Roaming\\Python\\Python37\\site-packages");
}

/* F03: what pip installs for Python from the Store. */
static void test_frameworks_of_the_store(void **state) {
    (void)state;
    in_folder(USER "\\AppData\\Local\\Packages\\PythonSoftwareFoundation.Python.3.10_qbz5n2kfra8p0\\LocalCache\\local-packages\\"
                   "Python310\\site-packages");
}

static void test_frameworks_of_an_active_environment(void **state) {
    (void)state;
    memory_host_system(machine)->own_virtual_env = "C:\\work\\venv";
    memory_host_system(machine)->administrator = false;
    in_folder("C:\\work\\venv\\Lib\\site-packages");
    memory_host_system(machine)->administrator = true; /* goes by nobody's variables */
    find();
    assert_int_equal(found.count, 0);
}

/* Nothing of the network is opened. */
static void test_frameworks_stay_off_the_network(void **state) {
    (void)state;
    memory_host_reg_text(machine, CS_HKLM, "SOFTWARE\\Python\\PythonCore\\3.7\\InstallPath", "", CS_REG_SZ, "\\\\server\\python");
    memory_host_text(machine, USER "\\.conda\\environments.txt", "\\\\server\\conda\n");
    path("\\\\server\\tools");
    find();
    assert_int_equal(found.count + found.folders.count, 0);
    assert_int_equal(found.skipped, 3);
}

static void test_frameworks_many_environments(void **state) {
    (void)state;
    cs_buffer list = {0};
    for (unsigned i = 0; i < 70; i++) {
        char site[64];
        snprintf(site, sizeof site, "C:\\envs\\%u\\Lib\\site-packages", i);
        put(site, "torch-1.8.1+cu101.dist-info", NULL);
        cs_buffer_format(&list, "C:\\envs\\%u\n", i);
    }
    memory_host_text(machine, USER "\\.conda\\environments.txt", list.data);
    cs_buffer_free(&list);
    find();
    assert_int_equal(found.count, 64);
    assert_int_equal(found.folders.count, 64);
    assert_int_equal(found.skipped, 6);
}

static void test_frameworks_survive_failed_allocations(void **state) {
    (void)state;
    unsigned failures = 0;
    memory_host_text(machine, PYTHON "\\python.exe", "");
    path(PYTHON);
    put(SITE, "torch-1.8.1+cu101.dist-info", "Version: 1.8.1+cu101\n");
    put_dll(SITE "\\torch\\lib\\cudnn64_7.dll", 7, 6, 5);
    for (unsigned long n = 1; n <= 600; n++) {
        cs_frameworks_free(&found);
        cs_alloc_fail_at(n);
        cs_status status = cs_frameworks_find(memory_host_seam(machine), &found, NULL);
        cs_alloc_fail_at(0);
        failures += status == CS_E_NO_MEMORY;
        assert_true(status == CS_OK || status == CS_E_NO_MEMORY);
    }
    assert_true(failures > 100);
}

/* ---- the doctor ---- */

static void doctor(cs_status expected, const char *message, const char *line) {
    cs_outcome outcome = {0};
    cs_buffer report = {0};
    assert_int_equal(cs_doctor_frameworks(memory_host_seam(machine), &report, &outcome), expected);
    assert_string_equal(cs_buffer_string(&outcome.message), message);
    if (!strstr(cs_buffer_string(&report), line)) fail_msg("%s", cs_buffer_string(&report));
    cs_outcome_free(&outcome);
    cs_buffer_free(&report);
}

static void test_frameworks_in_the_diagnosis(void **state) {
    (void)state;
    doctor(CS_OK, "None that is known here, in 0 Python environments.", "");
    memory_host_text(machine, PYTHON "\\python.exe", "");
    path(PYTHON);
    put(SITE, "cupy_cuda101-8.0.0.dist-info", NULL);
    doctor(CS_OK, "1 found in 1 Python environments; 0 of them cannot use cuDNN 8.0.3 for CUDA 10.1.",
           "CuPy 8.0.0 was built for CUDA 10.1 and cuDNN 8.0.3: this package serves it. (" SITE ")\n");
    put(SITE, "tensorflow-2.2.0.dist-info", NULL);
    doctor(CS_E_NOTHING, "2 found in 1 Python environments; 1 of them cannot use cuDNN 8.0.3 for CUDA 10.1.", "TensorFlow 2.2.0");
}

/* ---- the table ---- */

static void built_in(cs_frameworks_table *table) {
    size_t size = 0;
    const char *bytes = cs_frameworks_embedded(0, &size);
    assert_non_null(bytes);
    assert_int_equal(cs_frameworks_table_parse("table", bytes, size, table, NULL), CS_OK);
}

static void test_frameworks_versions(void **state) {
    (void)state;
    static const struct {
        const char *distribution, *version;
        cs_serves serves;
    } rows[] = {{"torch", "1.3.1+cu101", CS_SERVES_UNKNOWN},
                {"torch", "1.4.0+cu101", CS_SERVES_OWN},
                {"Torch", "1.8.1+cu101", CS_SERVES_OWN},
                {"torch", "1.8.2+cu101", CS_SERVES_UNKNOWN},
                {"torch", "1.8.1", CS_SERVES_UNKNOWN},
                {"torch", "1.8.1+cu1010", CS_SERVES_UNKNOWN},
                {"tensorflow", "2.0.4", CS_SERVES_UNKNOWN},
                {"tensorflow", "2.1.0rc2", CS_SERVES_NO},
                {"tensorflow", "2.1", CS_SERVES_NO},
                {"tensorflow_gpu", "2.3.4", CS_SERVES_NO},
                {"tensorflow", "2.4.0", CS_SERVES_UNKNOWN},
                {"tensorflow", "2.10.0", CS_SERVES_UNKNOWN},
                {"tensorflow-gpu", "1.14.0", CS_SERVES_NO},
                {"tensorflow", "", CS_SERVES_UNKNOWN},
                {"onnxruntime.gpu", "1.4.0", CS_SERVES_NO},
                {"onnxruntime-gpu", "1.5.1", CS_SERVES_UNKNOWN},
                {"mxnet-cu101", "1.9.1", CS_SERVES_NO},
                {"mxnet-cu101", "1.10.0", CS_SERVES_UNKNOWN},
                {"paddlepaddle-gpu", "2.3.2.post101", CS_SERVES_NO},
                {"paddlepaddle-gpu", "2.3.2", CS_SERVES_UNKNOWN},
                {"cupy-cuda101", "8.0.0", CS_SERVES_YES},
                {"cupy-cuda101", "8.0.0b5", CS_SERVES_YES},
                {"cupy-cuda101", "8.0.1", CS_SERVES_UNKNOWN}};
    cs_frameworks_table table = {0};
    built_in(&table);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const cs_table_framework *framework = cs_frameworks_table_find(&table, rows[i].distribution);
        assert_non_null(framework);
        const cs_table_row *row = cs_frameworks_table_row(framework, rows[i].version);
        assert_non_null(row);
        if (row->serves != rows[i].serves)
            fail_msg("%s %s: %s", rows[i].distribution, rows[i].version, cs_serves_name(row->serves));
    }
    assert_null(cs_frameworks_table_find(&table, "torchvision"));
    assert_null(cs_frameworks_table_find(&table, "tensor"));
    cs_frameworks_table_free(&table);
}

static void test_frameworks_table_is_read_strictly(void **state) {
    (void)state;
#define TABLE(frameworks) "{\"schema\":1,\"cudnn\":\"8.0.3\",\"cuda\":\"10.1\",\"frameworks\":[" frameworks "]}"
    static const char *const tables[] = {
        "",
        "{}",
        TABLE(""),
        "{\"schema\":2,\"cudnn\":\"8\",\"cuda\":\"10\",\"frameworks\":[{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[{"
        "\"serves\":\"no\"}]}]}",
        TABLE("{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[]}"),
        TABLE("{\"name\":\"A\",\"distributions\":[],\"rows\":[{\"serves\":\"no\"}]}"),
        TABLE("{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[{\"serves\":\"perhaps\"}]}"),
        TABLE("{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[{\"cuda\":\"10.1\"}]}"),
        TABLE("{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[{\"serves\":\"no\",\"cudnn\":null}]}"),
        TABLE("{\"name\":\"A\",\"distributions\":[\"a\"],\"rows\":[{\"serves\":\"no\",\"more\":\"x\"}]}"),
        TABLE("{\"name\":7,\"distributions\":[\"a\"],\"rows\":[{\"serves\":\"no\"}]}")};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        cs_frameworks_table table = {0};
        cs_error error = {0};
        assert_int_equal(cs_frameworks_table_parse("table", tables[i], strlen(tables[i]), &table, &error), CS_E_FORMAT);
        assert_int_equal(table.count, 0);
    }
}

static void put_cell(cs_buffer *out, const char *text) { cs_buffer_format(out, " %s |", text ? text : ""); }

/* docs/frameworks.md shows the table that is built in, row by row. */
static void test_frameworks_document(void **state) {
    (void)state;
    cs_frameworks_table table = {0};
    cs_buffer out = {0};
    built_in(&table);
    cs_buffer_text(
        &out,
        "| framework | pip calls it | releases | built for CUDA | cuDNN | loads | served |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < table.count; i++)
        for (size_t r = 0; r < table.items[i].row_count; r++) {
            const cs_table_row *row = &table.items[i].rows[r];
            cs_buffer_format(&out, "| %s |", table.items[i].name);
            for (size_t d = 0; d < table.items[i].distributions.count; d++)
                cs_buffer_format(&out, "%s `%s`", d ? "," : "", table.items[i].distributions.items[d]);
            cs_buffer_text(&out, " |");
            if (row->from) cs_buffer_format(&out, " %s to before %s", row->from, row->below);
            if (row->tag) cs_buffer_format(&out, " (%s)", row->tag);
            if (!row->from && !row->tag) cs_buffer_text(&out, table.items[i].row_count > 1 ? " any other" : " any");
            cs_buffer_text(&out, " |");
            put_cell(&out, row->cuda);
            put_cell(&out, row->cudnn);
            put_cell(&out, row->loads);
            put_cell(&out, cs_serves_name(row->serves));
            cs_buffer_text(&out, "\n");
        }
    cs_frameworks_table_free(&table);
    table_check(CS_TEST_DOCS "/frameworks.md", "test_frameworks", &out);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(test_frameworks_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(of_a_folder),
                                       CASE(with_a_cudnn_of_their_own),
                                       CASE(that_are_not_known),
                                       CASE(on_the_cpu),
                                       CASE(odd_folders),
                                       CASE(text_is_made_visible),
                                       CASE(python_on_path),
                                       CASE(virtual_environment_on_path),
                                       CASE(python_in_the_registry),
                                       CASE(conda),
                                       CASE(of_one_user),
                                       CASE(of_the_store),
                                       CASE(of_an_active_environment),
                                       CASE(stay_off_the_network),
                                       CASE(many_environments),
                                       CASE(survive_failed_allocations),
                                       CASE(in_the_diagnosis),
                                       CASE(versions),
                                       CASE(table_is_read_strictly),
                                       CASE(document)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
