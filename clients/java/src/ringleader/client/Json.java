package ringleader.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON, as much as the service needs: the JDK has none. Whole numbers that fit are Long, all others Double. */
public final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads JSON; what is none is an IllegalArgumentException. */
    public static Object read(byte[] bytes) {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException error) {
            throw new IllegalArgumentException("no UTF-8", error);
        }
        Json json = new Json(text);
        Object value = json.value(0);
        json.blanks();
        if (json.at < text.length()) {
            throw json.wrong();
        }
        return value;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at);
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char next() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at++);
    }

    private boolean takes(char wanted) {
        blanks();
        boolean there = at < text.length() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private void must(char wanted) {
        if (!takes(wanted)) {
            throw wrong();
        }
    }

    private Object value(int depth) {
        if (depth > 64) {
            throw wrong();
        }
        if (takes('{')) {
            Map<String, Object> object = new LinkedHashMap<>();
            if (!takes('}')) {
                do {
                    must('"');
                    String key = string();
                    must(':');
                    object.put(key, value(depth + 1));
                } while (takes(','));
                must('}');
            }
            return object;
        }
        if (takes('[')) {
            List<Object> list = new ArrayList<>();
            if (!takes(']')) {
                do {
                    list.add(value(depth + 1));
                } while (takes(','));
                must(']');
            }
            return list;
        }
        if (takes('"')) {
            return string();
        }
        int begin = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        switch (word) {
            case "null": return null;
            case "true": return true;
            case "false": return false;
            default:
        }
        if (!word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw wrong();
        }
        if (word.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(word);
        }
        return Double.valueOf(word);
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return out.toString();
            }
            if (c != '\\') {
                out.append(c);
                continue;
            }
            c = next();
            int plain = "\"\\/bfnrt".indexOf(c);
            if (plain >= 0) {
                out.append("\"\\/\b\f\n\r\t".charAt(plain));
            } else if (c == 'u' && at + 4 <= text.length()) {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                throw wrong();
            }
        }
    }

    /** Writes maps, lists, strings, numbers, booleans and null. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        String between = "";
        if (value instanceof Map<?, ?> map) {
            out.append('{');
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(between);
                write(entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                between = ",";
            }
            out.append('}');
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (Object each : list) {
                out.append(between);
                write(each, out);
                between = ",";
            }
            out.append(']');
        } else if (value instanceof String text) {
            out.append('"');
            text.chars().forEach(c -> out.append(c == '"' || c == '\\' || c < 32
                    ? String.format("\\u%04x", c) : String.valueOf((char) c)));
            out.append('"');
        } else {
            out.append(value);
        }
    }
}
