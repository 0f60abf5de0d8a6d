# cmake -DPAGE=page.html -DOUTPUT=EmbeddedPage.h -P Embed.cmake: the page's bytes, and the hashes of the scripts in it as a
# Content-Security-Policy names them.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")

set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
# 64 hexadecimal digits as base64: 6 of them are 4 digits, and the last 4 are 3 and a '='
function(to_base64 hex result)
  set(text)
  foreach(at RANGE 0 63 6)
    string(SUBSTRING "${hex}00" ${at} 6 part)
    math(EXPR value "0x${part}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${value} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND text ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

file(READ ${PAGE} rest)
set(hashes)
string(FIND "${rest}" "<script>" begin)
while(NOT begin EQUAL -1)
  math(EXPR begin "${begin} + 8")
  string(SUBSTRING "${rest}" ${begin} -1 rest)
  string(FIND "${rest}" "</script>" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${PAGE}: <script> without its end")
  endif()
  string(SUBSTRING "${rest}" 0 ${end} script)
  string(SHA256 hash "${script}")
  to_base64(${hash} hash)
  string(APPEND hashes " 'sha256-${hash}'")
  string(SUBSTRING "${rest}" ${end} -1 rest)
  string(FIND "${rest}" "<script>" begin)
endwhile()
string(STRIP "${hashes}" hashes)

file(WRITE ${OUTPUT} "// Made of page.html.
static constexpr unsigned char embeddedPage[] = {
${bytes}};
static constexpr const char *scriptHashes = \"${hashes}\";
")
