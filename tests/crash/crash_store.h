/* crash_store.h: a machine whose disks and registry can lose what was not made durable.
 *
 * Behind the same seams as the real ones (cs_fs, cs_registry, cs_system). Contents are tokens of interned bytes. Each volume and
 * each hive has a durable base and a list of changes that are pending; from these, after every operation, the images that a
 * power cut could leave are enumerated (crash_images.h).
 *
 * Models. N: a volume's names survive as a prefix of its log, and a flush of any file makes the whole log durable; a hive
 * survives as a prefix of its writes; volumes and hives know no common order. H: any order-respecting subset of what was not
 * synced, a flush covers its own file and folder only. HX: as H, and a replacing rename is a deletion and a rename. N1, H1: state
 * and tree lie on one volume, and every flush covers all of it. In all of them unflushed data is old, zero, torn or new.
 * SOFTWARE holds derived values only and survives as a prefix in every model. */
#ifndef CRASH_STORE_H
#define CRASH_STORE_H

#include "cudnn_setup/host.h"

#define CRASH_P          "C:\\Program Files\\cudnn-setup"
#define CRASH_STATE      CRASH_P "\\state"
#define CRASH_TREE       "D:\\CUDA"
#define CRASH_OTHER_TREE "D:\\CUDA-other" /* a second one, of the same kind */
#define CRASH_DOWNLOADED "C:\\Users\\user\\Downloads\\cudnn-setup.exe"

enum {
    CRASH_PATHS = 320,   /* paths that a job can name */
    CRASH_FILES = 4096,  /* file ids that one machine can hand out */
    CRASH_SLOTS = 48,    /* registry values */
    CRASH_PENDING = 128, /* changes not yet durable */
    CRASH_HANDLES = 128
};

typedef enum crash_model { CRASH_N, CRASH_H, CRASH_HX, CRASH_N1, CRASH_H1, CRASH_MODELS } crash_model;
const char *crash_model_name(crash_model model);

/* What a path is to the protocol: the closed list of names. */
typedef enum crash_class {
    CLASS_FOREIGN, /* not ours: any change is a violation */
    CLASS_P,
    CLASS_P_PROGRAM, /* programs and their .tmp */
    CLASS_P_ASIDE,   /* ~<16 hex>.old: programs that still ran when they had to go */
    CLASS_P_STATUS,  /* status folder and files */
    CLASS_STATE,
    CLASS_LOCK,
    CLASS_S,
    CLASS_TEMPORARY,
    CLASS_JOURNAL,
    CLASS_COMMITTED,
    CLASS_UNDONE,
    CLASS_HEAD,
    CLASS_INTENT,
    CLASS_RESERVE,
    CLASS_MANIFEST, /* folder and files */
    CLASS_TARGET,
    CLASS_TARGET_FOLDER,
    CLASS_B,
    CLASS_B_FOLDER, /* B\txid, new, old */
    CLASS_MARK,
    CLASS_ARCHIVE,
    CLASS_NEW,
    CLASS_OLD
} crash_class;

typedef struct crash_entry {
    uint16_t file; /* 0: absent */
    uint16_t content, meta;
} crash_entry;

/* A machine at rest: everything durable. */
typedef struct crash_image {
    uint64_t hash;      /* canonical: ids and contents that decide nothing are left out */
    uint16_t next_file; /* ids are never used twice */
    uint16_t must;      /* success had been reported: only After will do */
    uint16_t from;      /* for reports: what was running */
    uint16_t step;
    crash_entry at[CRASH_PATHS];
    uint16_t reg[CRASH_SLOTS]; /* 0: absent */
} crash_image;

typedef enum crash_kind { OP_MAKE, OP_RENAME, OP_REMOVE, OP_META, OP_REG, OP_DATA, OP_FLUSH } crash_kind;
typedef enum crash_log { LOG_S, LOG_T, LOG_SYSTEM, LOG_SOFTWARE, CRASH_LOGS } crash_log;

typedef struct crash_op {
    crash_kind kind;
    crash_log log;
    uint16_t a, b; /* paths; a: the slot of a registry value */
    uint16_t file;
    uint16_t content, meta; /* meta: of OP_MAKE and OP_META; the value of OP_REG */
} crash_op;

typedef struct crash_machine crash_machine;
/* After each operation that changed something. */
typedef void (*crash_hook)(void *ctx, crash_machine *machine, const crash_op *op);
/* Before each operation that is going to change something. */
typedef void (*crash_check)(void *ctx, crash_machine *machine, const crash_op *op);

/* A disk without room: creating, growing and renaming answer 112. */
typedef enum crash_room {
    CRASH_ROOM,
    CRASH_ROOM_IN_RESERVE, /* deleting `reserve` makes some */
    CRASH_NO_ROOM          /* whatever is deleted */
} crash_room;

typedef struct crash_fault {
    unsigned long at; /* call number; 0: none */
    bool after;       /* done, and then reported as failed */
    bool for_good;    /* the same operation on the same path from then on */
    uint32_t code;
    bool struck;
    unsigned long last; /* call that was struck last */
    unsigned repeats;   /* the same call came again, with nothing between */
    bool hasty;         /* ... not even a pause */
    char operation[24];
    uint32_t path_hash;
    char path[512];
} crash_fault;

typedef struct crash_handle {
    crash_machine *machine;
    uint16_t file; /* 0: free */
    uint16_t path; /* at opening; for folders */
    bool write, may_delete, append, folder, locked;
} crash_handle;

struct crash_machine {
    crash_model model;
    crash_image durable; /* names and registry; contents by file below */
    crash_image now;     /* what programs see */
    uint16_t dur_content[CRASH_FILES], where[CRASH_FILES];
    bool foreign[CRASH_FILES]; /* somebody else's: any change is a violation */
    crash_op pending[CRASH_PENDING];
    size_t pending_count;
    bool overflow; /* a table ran full: the job is void, and said so */
    crash_handle handles[CRASH_HANDLES];
    unsigned long calls;
    crash_fault fault;
    crash_room room;
    unsigned long full_from; /* the call at which the room is used up */
    const char *cancel_step; /* the user cancels in this step, */
    unsigned cancel_after;   /* when the run asks for the so-manieth time */
    const char *program;     /* path that this program was started from; NULL: it does not run */
    bool denied;             /* ... and somebody tried to delete it: that is tried again, fault or not */
    uint16_t running;        /* its file */
    crash_hook hook;
    crash_check check;
    void *ctx;
    uint64_t random;
    bool scheduled_live_name;     /* for deletion at the next restart */
    bool read_mark;               /* somebody read what decides nothing */
    unsigned long changes, swept; /* swept: those of them that removed a program that was put aside */
    uint64_t slept_ms;
    unsigned pauses, longest_row; /* pauses in a row, with nothing but the same call between; the longest row so far */
    bool paused;                  /* since the last call */
    cs_fs fs;
    cs_registry registry;
    cs_system system;
};

void crash_machine_init(crash_machine *machine, crash_model model);
/* Starts the machine from an image, as after a power cut: no open files, nothing pending, no fault. */
void crash_machine_load(crash_machine *machine, const crash_image *image);
/* What programs see, as an image at rest. */
void crash_machine_save(const crash_machine *machine, crash_image *out);
size_t crash_machine_open_files(const crash_machine *machine);
/* The program at this path runs: its file cannot be deleted until it ends (path NULL). */
void crash_start_program(crash_machine *machine, const char *path);

/* ---- names and contents; they live for the process ---- */
uint16_t crash_path(const char *path); /* interned */
const char *crash_path_text(uint16_t path);
crash_class crash_path_class(uint16_t path);
uint16_t crash_path_parent(uint16_t path);
unsigned crash_path_count(void);
/* Which tree the path is about, by its place in the tree or in the state: 1, 2, or 0 for neither. */
unsigned crash_path_tree(uint16_t path);
enum { CRASH_TREES = 2 };
void crash_name_tree(unsigned tree, const char *id); /* the name of its folder in P\state */
/* Where this tree's journal, committed, undone or head is; 0: the tree has no name yet. */
uint16_t crash_record_path(unsigned tree, crash_class class);
uint16_t crash_content(const void *bytes, size_t size, uint64_t length); /* zeros from size to length */
const void *crash_content_bytes(uint16_t content, size_t *size, uint64_t *length);
uint16_t crash_content_torn(uint16_t content);
uint16_t crash_content_zero(uint16_t content);
enum { CRASH_EMPTY = 1, CRASH_META_FOLDER = 1 };
uint16_t crash_meta(uint32_t attributes, int64_t created, int64_t written, bool inherited);
void crash_meta_get(uint16_t meta, cs_file_info *out, bool *inherited); /* attributes and times */
uint16_t crash_value(const cs_reg_value *value);
bool crash_value_get(uint16_t value, cs_reg_value *out); /* a copy by cs_alloc; false without memory */
uint16_t crash_slot(cs_hive hive, const char *key, const char *name);
/* false past the last one */
bool crash_slot_find(uint16_t slot, cs_hive *hive, const char **key, const char **name);
const char *crash_slot_text(uint16_t slot);
bool crash_slot_is_environment(uint16_t slot);
uint16_t crash_slot_service(void);

/* ---- images ---- */
uint64_t crash_entry_hash(uint16_t path, const crash_entry *entry);
uint64_t crash_reg_hash(uint16_t slot, uint16_t value);
uint64_t crash_mix(uint64_t x);
void crash_image_hash(crash_image *image);
bool crash_is_folder(const crash_entry *entry);
/* Act like another program, on an image at rest; the hash follows. */
void crash_image_folder(crash_image *image, const char *path); /* with parents */
uint16_t crash_image_text(crash_image *image, const char *path, const char *text, uint32_t attributes, int64_t time);
uint16_t crash_image_file(crash_image *image, const char *path, const void *bytes, size_t size);
void crash_image_delete(crash_image *image, const char *path);
void crash_image_value(crash_image *image, const char *key, const char *name, uint32_t type, const char *text);

/* ---- for the seam's parts ---- */
/* A call begins. Returns a code to fail with, or 0; *after: do the work first. */
uint32_t crash_step(crash_machine *machine, const char *operation, const char *path, bool *after);
/* A change: check, make it visible, note it as pending, hook. */
void crash_apply(crash_machine *machine, crash_op op);
bool crash_may_apply(const crash_image *image, const crash_op *op);
void crash_change(crash_image *image, const crash_op *op); /* whether it may or not */
void crash_sync_folder(crash_machine *machine, uint16_t folder);
void crash_sync_file(crash_machine *machine, uint16_t file);
void crash_sync_hive(crash_machine *machine, crash_log hive);
crash_log crash_log_of(const crash_machine *machine, uint16_t path);
void crash_fs_init(crash_machine *machine);
void crash_registry_init(crash_machine *machine);
void crash_system_init(crash_machine *machine);

#endif
