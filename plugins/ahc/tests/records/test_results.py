"""The table of results, as people leave it."""

from evograft_ahc.records.results import read_rows, save_row


def test_a_table_that_a_spreadsheet_has_saved_takes_another_row(tmp_path):
    table, row = tmp_path / "results.csv", {"session_name": "second", "start_time": "2026-11-22T10:00:00Z"}
    table.write_bytes(b"\xef\xbb\xbfsession_name,start_time,model\r\nfirst,2026-11-21T10:00:00Z,\x83\x82\r\n")
    save_row(table, row)
    save_row(table, row)
    assert [each["session_name"] for each in read_rows(table)] == ["first", "second"]


def test_a_table_without_its_columns_is_no_reason_to_lose_a_row(tmp_path):
    table = tmp_path / "results.csv"
    table.write_text("name;score\nfirst;3\n")
    save_row(table, {"session_name": "second", "start_time": "2026-11-22T10:00:00Z"})
    assert read_rows(table)[-1]["session_name"] == "second"
