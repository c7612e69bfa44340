"""Makes the files of this folder with programs that others wrote: see the README.

Usage: python make.py [chromium]
"""
import csv
import datetime
import pathlib
import subprocess
import sys

import openpyxl
import xlsxwriter
from reportlab.lib import pdfencrypt
from reportlab.pdfgen import canvas

FOLDER = pathlib.Path(__file__).resolve().parent
PEOPLE = [["name", "city", "amount"], ["Ana Muñoz", "León", "1,5"], ['Bob "the" Builder', "Line\nbreak", ""], ["Zoë", "a;b", "-3"]]


def write_csv(name, encoding, rows=PEOPLE, **options):
    with open(FOLDER / name, "w", encoding=encoding, newline="") as file:
        csv.writer(file, **options).writerows(rows)


def write_openpyxl():
    book = openpyxl.Workbook()
    hidden = book.active
    hidden.title = "Hidden"
    hidden.sheet_state = "hidden"
    sheet = book.create_sheet("Orders")
    sheet.append(["Monthly report"])
    sheet.append([])
    sheet.append(["id", "ordered", "at", "lasts", "share", "paid", "name", "", "name", "total"])
    moment = datetime.datetime(2026, 3, 2, 14, 30, 15)
    sheet.append([1, moment.date(), moment, datetime.timedelta(hours=36), 0.25, True, "Ana Muñoz", "unnamed", "x", 1234.5])
    sheet.append([])
    sheet.append([2, None, moment.time(), None, 1, False, "  Bob ", None, None, -1e300])
    for row in sheet.iter_rows(min_row=4, min_col=5, max_col=5):
        row[0].number_format = "0%"
    sheet["D4"].number_format = "[h]:mm:ss"
    book.create_sheet("Empty")
    book.active = 1
    book.save(FOLDER / "openpyxl.xlsx")


def write_xlsxwriter():
    book = xlsxwriter.Workbook(FOLDER / "xlsxwriter.xlsx", {"date_1904": True})
    book.set_properties({"created": datetime.datetime(2026, 1, 1)})
    sheet = book.add_worksheet("Summary")
    date = book.add_format({"num_format": "yyyy-mm-dd"})
    sheet.write_row(0, 0, ["when", "net", "gross", "note", "wrong"])
    sheet.write_datetime(1, 0, datetime.datetime(2026, 12, 31), date)
    sheet.write_number(1, 1, 100)
    # Spreadsheets store the last value of a formula.
    sheet.write_formula(1, 2, "=B2*1.21", None, 121)
    sheet.write_formula(1, 3, '="a"&"b"', None, "ab")
    sheet.write_formula(1, 4, "=1/0", None, "#DIV/0!")
    sheet.merge_range(2, 0, 2, 2, "merged")
    book.add_worksheet("Second").write_row(0, 0, ["a", "b"])
    book.close()


def write_reportlab():
    def start(name, **options):
        return canvas.Canvas(str(FOLDER / name), invariant=1, **options)

    pdf = start("reportlab.pdf")
    pdf.drawString(72, 760, "First page: Muñoz, 12 €")
    pdf.drawString(72, 740, "Second line")
    pdf.showPage()
    pdf.drawString(72, 760, "Second page")
    pdf.showPage()
    pdf.save()
    for name, user in [("reportlab-password.pdf", "secret"), ("reportlab-no-printing.pdf", "")]:
        rights = pdfencrypt.StandardEncryption(user, ownerPassword="owner", canPrint=0)
        pdf = start(name, encrypt=rights)
        pdf.drawString(72, 760, "protected")
        pdf.showPage()
        pdf.save()
    pdf = start("reportlab-scan.pdf")
    pdf.rect(72, 600, 200, 100, fill=1)
    pdf.showPage()
    pdf.save()


def write_chromium(program):
    page = """<!doctype html><meta charset="utf-8"><style>* {font: 12px sans-serif} h2 {page-break-before: always}</style>
<h1>Invoice 2026-014</h1><p>To Ana Muñoz: 1.234,50 €</p>
<table><tr><td>Item<td>Price<tr><td>Coffee filter<td>3,20</table><h2>Terms</h2><p>30 days “net”</p>"""
    source = FOLDER / "page.html"
    source.write_text(page, encoding="utf-8")
    target = f"--print-to-pdf={FOLDER / 'chromium.pdf'}"
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", target, source.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    source.unlink()


write_csv("excel.csv", "utf-8")
write_csv("mark-semicolon.csv", "utf-8-sig", delimiter=";")
write_csv("windows-1252-semicolon.csv", "cp1252", delimiter=";")
write_csv("utf-16-tab.csv", "utf-16", dialect="excel-tab")
write_csv("unix.csv", "utf-8", dialect="unix")
write_csv("ragged.csv", "utf-8", rows=[["a", "b", "a", ""], ["1"], [], ["1", "2", "3", "", "5"], ["", "", "3"]])
write_openpyxl()
write_xlsxwriter()
write_reportlab()
if len(sys.argv) > 1:
    write_chromium(sys.argv[1])
