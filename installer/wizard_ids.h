/* wizard_ids.h: numbers that the resources and the window's code share. */
#ifndef CUDNN_SETUP_INSTALLER_WIZARD_IDS_H
#define CUDNN_SETUP_INSTALLER_WIZARD_IDS_H

#define IDD_WIZARD 100
#define IDD_TEXT   101

#define IDC_HEADING        1000
#define IDC_LINE           1001
#define IDC_TOOLKITS_LABEL 1002
#define IDC_TOOLKITS       1003
#define IDC_ROWS           1004
#define IDC_EXPLAIN        1005
#define IDC_CUDA_PATH      1006
#define IDC_STEP           1007
#define IDC_PROGRESS       1008
#define IDC_FILE           1009
#define IDC_AMOUNT         1010
#define IDC_TEXT           1011

/* Buttons: IDC_OFFER + the number of the offer's bit. */
#define IDC_OFFER 1100

#endif
